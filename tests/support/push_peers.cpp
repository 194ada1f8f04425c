#include "tests/support/push_peers.hpp"

#include <stdexcept>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "actors/channels/web_push_crypt.hpp"
#include "storage/model/base64.hpp"

namespace arauto::tests {

namespace {

// One HTTP/1.0 exchange with loopback; enough for the double's own door.
std::string spoken_with(std::uint16_t port, const std::string& request) {
  const auto socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(port);
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0)
    throw std::runtime_error{"the push doubles are gone"};
  for (std::size_t at = 0; at < request.size();) {
    const auto count = ::send(socket, request.data() + at, request.size() - at, MSG_NOSIGNAL);
    if (count <= 0) break;
    at += static_cast<std::size_t>(count);
  }
  std::string answer;
  char bytes[65'536];
  for (ssize_t count = 0; (count = ::recv(socket, bytes, sizeof bytes, 0)) > 0;)
    answer.append(bytes, static_cast<std::size_t>(count));
  ::close(socket);
  return answer;
}

} // namespace

push_peers::push_peers()
    : papers_{make_certificate(room_.path(), "DNS:localhost,IP:127.0.0.1", 86'400)},
      program_{{"/usr/bin/env", "node", ARAUTO_SOURCE_DIR "/tests/support/push_peers.mjs",
                papers_.certificate_file, papers_.key_file}} {
  const auto line = program_.first_line();
  if (line.compare(0, 6, "ready ") != 0) throw std::runtime_error{"the push doubles did not start"};
  ports_ = nlohmann::json::parse(line.substr(6));
}

std::string push_peers::url(const std::string& via) const {
  return std::string{via == "fcm" ? "http" : "https"} + "://127.0.0.1:" + ports_[via].dump();
}

nlohmann::json push_peers::ask(const std::string& path, const std::string& body) const {
  const auto answer =
      spoken_with(ports_["door"], "POST " + path + " HTTP/1.0\r\nContent-Length: "
                                      + std::to_string(body.size()) + "\r\n\r\n" + body);
  return nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
}

void push_peers::expect(const nlohmann::json& what) {
  ask("/expect", what.dump());
}

nlohmann::json push_peers::seen() const {
  return ask("/seen", "");
}

int push_peers::count(const std::string& via, const std::string& to) const {
  return seen()["counts"].value(via + " " + to, 0);
}

browser new_browser() {
  auto pair = channels::new_vapid_pair(); // keys of the same kind
  return {pair.public_key, base64url(chance(16)), pair.private_key};
}

} // namespace arauto::tests
