#include "actors/channels/smtp_greeting.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace arauto::channels {

namespace {

struct greeting {
  bool connected = false;
  std::string words; // the first line
  int trouble = 0;   // errno
};

greeting greeting_of(const addrinfo& where, bool listens_first, std::chrono::milliseconds limit) {
  greeting heard;
  const auto socket = ::socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return heard;
  const timeval patience{static_cast<time_t>(limit.count() / 1'000),
                         static_cast<suseconds_t>(limit.count() % 1'000 * 1'000)};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience); // bounds connect too
  heard.connected = ::connect(socket, where.ai_addr, where.ai_addrlen) == 0;
  if (heard.connected && listens_first) {
    char bytes[512];
    const auto count = ::recv(socket, bytes, sizeof bytes, 0);
    if (count > 0) heard.words.assign(bytes, static_cast<std::size_t>(count));
    (void)::send(socket, "QUIT\r\n", 6, MSG_NOSIGNAL);
  }
  heard.trouble = errno;
  ::close(socket);
  return heard;
}

} // namespace

account_check greeted_by(const smtp_settings& account, std::chrono::milliseconds patience) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const auto port = std::to_string(account.port);
  const auto name = account.host + ":" + port;
  if (const auto why = ::getaddrinfo(account.host.c_str(), port.c_str(), &hints, &found))
    return {false, name + ": " + ::gai_strerror(why)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner{found, ::freeaddrinfo};
  const auto implicit = account.tls == tls_mode::implicit;
  int trouble = 0;
  for (const auto* where = found; where != nullptr; where = where->ai_next) {
    const auto heard = greeting_of(*where, !implicit, patience);
    if (implicit && heard.connected) return {true, name + " listens"};
    if (heard.words.rfind("220", 0) == 0) return {true, name + " greets as an SMTP server"};
    trouble = heard.trouble;
  }
  return {false, name + " does not greet as an SMTP server: " + std::strerror(trouble)};
}

} // namespace arauto::channels
