#include "deployment/provider_check.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "deployment/trouble.hpp"

namespace arauto::deployment {

namespace {

constexpr time_t patience_s = 5;

// The first line of the server's greeting; empty and errno when this address does not answer.
std::string greeting_of(const addrinfo& where) {
  const auto socket = ::socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return "";
  const timeval limit{patience_s, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit); // bounds connect too
  std::string said;
  if (::connect(socket, where.ai_addr, where.ai_addrlen) == 0) {
    char bytes[512];
    const auto count = ::recv(socket, bytes, sizeof bytes, 0);
    if (count > 0) said.assign(bytes, static_cast<std::size_t>(count));
    (void)::send(socket, "QUIT\r\n", 6, MSG_NOSIGNAL);
  }
  const auto why = errno;
  ::close(socket);
  errno = why;
  return said;
}

std::string check_smtp(const channels::smtp_settings& account) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const auto name = account.host + ":" + std::to_string(account.port);
  if (const auto why =
          ::getaddrinfo(account.host.c_str(), std::to_string(account.port).c_str(), &hints, &found))
    throw trouble{"smtp.host: " + name + ": " + ::gai_strerror(why)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner{found, ::freeaddrinfo};
  for (const auto* where = found; where != nullptr; where = where->ai_next)
    if (greeting_of(*where).rfind("220", 0) == 0) return name + " greets as an SMTP server";
  throw trouble{"smtp.host: " + name
                + " does not greet as an SMTP server: " + std::strerror(errno)};
}

std::string check_directory(const std::string& directory) {
  if (!std::filesystem::is_directory(directory) || ::access(directory.c_str(), W_OK) != 0)
    throw trouble{"mail.directory: " + directory + " is no directory we may write in"};
  return "mails become files in " + directory;
}

} // namespace

std::string check_provider(const mail_settings& mail) {
  switch (mail.transport) {
  case mail_transport::smtp: return check_smtp(mail.smtp);
  case mail_transport::file: return check_directory(mail.directory);
  case mail_transport::undecided: break;
  }
  return "none set: `serve` needs smtp.host, or mail.transport = file and mail.directory";
}

} // namespace arauto::deployment
