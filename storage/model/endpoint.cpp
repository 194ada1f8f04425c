#include "storage/model/endpoint.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "storage/model/public_address.hpp"

namespace arauto {

namespace {

std::string lower(std::string_view text) {
  std::string made{text};
  for (auto& c : made)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return made;
}

bool begins(std::string_view text, std::string_view with) {
  return lower(text.substr(0, with.size())) == with;
}

bool ends(const std::string& text, std::string_view with) {
  return text.size() >= with.size()
         && text.compare(text.size() - with.size(), std::string::npos, with) == 0;
}

bool is_public_host(std::string host) {
  if (host.back() == '.') host.pop_back(); // of a whole name; a resolver drops it too
  if (host.front() == '[') {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    const auto inside = host.substr(1, host.size() - 2);
    return ::inet_pton(AF_INET6, inside.c_str(), &v6.sin6_addr) == 1
           && is_public_address(reinterpret_cast<const sockaddr&>(v6));
  }
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  // Every spelling a resolver would take for an address: 127.1, 0x7f.1, 2130706433.
  if (::inet_aton(host.c_str(), &v4.sin_addr) != 0)
    return is_public_address(reinterpret_cast<const sockaddr&>(v4));
  static constexpr std::array<std::string_view, 5> inside{".localhost", ".local", ".internal",
                                                          ".home.arpa", ".lan"};
  const auto dot = host.rfind('.');
  if (dot == std::string::npos || dot + 1 >= host.size()) return false;
  const auto last = host[dot + 1]; // no domain at the top begins with a digit
  return last >= 'a' && last <= 'z'
         && std::none_of(inside.begin(), inside.end(),
                         [&](std::string_view each) { return ends(host, each); });
}

bool is_host(std::string_view text) {
  if (text.empty()) return false;
  if (text.front() == '[') return text.size() > 2 && text.back() == ']';
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
           || c == '.' || c == '_';
  });
}

} // namespace

std::string_view endpoint_objection(std::string_view url, bool private_allowed) {
  if (url.size() > endpoint_bytes_max) return "has more than 2048 bytes";
  if (!std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < '\x7F'; }))
    return "must be an address in ASCII, without blanks";
  const auto secure = begins(url, "https://");
  if (!secure && !(private_allowed && begins(url, "http://"))) return "must begin with https://";
  url.remove_prefix(url.find("//") + 2);
  if (url.find_first_of("#\\") != url.npos) return "must have no fragment";
  const auto authority = url.substr(0, url.find_first_of("/?"));
  if (authority.find('@') != authority.npos) return "must name no user";
  const auto bracket = authority.rfind(']');
  const auto colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
  const auto host = authority.substr(0, colon);
  const auto port = colon == authority.npos ? std::string_view{} : authority.substr(colon + 1);
  if (!is_host(host) || host == ".") return "must name a host";
  const auto is_number = port.size() <= 5 && std::all_of(port.begin(), port.end(), [](char c) {
                           return c >= '0' && c <= '9';
                         });
  if (!is_number || (colon != authority.npos && port.empty())) return "must have a port or none";
  if (private_allowed) return {};
  if (!port.empty() && port != "443") return "must have the port 443";
  if (!is_public_host(lower(host))) return "must not lead to a private network";
  return {};
}

} // namespace arauto
