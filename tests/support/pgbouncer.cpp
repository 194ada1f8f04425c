#include "tests/support/pgbouncer.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pqxx/pqxx>

#include "deployment/program.hpp"

namespace arauto::tests {

namespace {

struct parts {
  std::string user, password, rest; // rest: from the port on

  explicit parts(const std::string& url) {
    const auto begin = url.find("://") + 3;
    const auto colon = url.find(':', begin);
    const auto at = url.find('@', begin);
    user = url.substr(begin, colon - begin);
    password = url.substr(colon + 1, at - colon - 1);
    rest = url.substr(url.find(':', at) + 1);
  }
};

int free_port() {
  const int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool good = bind(one, reinterpret_cast<sockaddr*>(&address), size) == 0
                    && getsockname(one, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(one);
  if (!good) throw std::runtime_error{"no free port"};
  return ntohs(address.sin_port);
}

} // namespace

pgbouncer::pgbouncer(const std::vector<std::string>& urls, int connections) : port_{free_port()} {
  const auto users = (directory_.path / "users").string();
  const auto settings = (directory_.path / "pgbouncer.ini").string();
  for (const auto& url : urls) {
    const parts one{url};
    std::ofstream{users, std::ios::app} << '"' << one.user << "\" \"" << one.password << "\"\n";
  }
  const auto rest = parts{urls.at(0)}.rest;
  std::ofstream{settings} << "[databases]\n* = host=127.0.0.1 port="
                          << rest.substr(0, rest.find('/'))
                          << "\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " << port_
                          << "\nunix_socket_dir =\nauth_type = plain\nauth_file = " << users
                          << "\npool_mode = transaction\ndefault_pool_size = " << connections
                          << "\n";
  deployment::program one;
  one.words = {"/usr/sbin/pgbouncer", settings};
  if (geteuid() == 0) one.as = deployment::account_named("postgres");
  one.output = "/dev/null";
  pid_ = deployment::start(one);
  for (int tries = 0;; ++tries) {
    try {
      pqxx::connection{through(urls.at(0))};
      return;
    } catch (const pqxx::broken_connection& e) {
      if (tries == 200) throw std::runtime_error{std::string{"no pgbouncer: "} + e.what()};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
}

pgbouncer::~pgbouncer() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string pgbouncer::through(const std::string& url) const {
  const parts one{url};
  return "postgresql://" + one.user + ":" + one.password + "@127.0.0.1:" + std::to_string(port_)
         + one.rest.substr(one.rest.find('/'));
}

} // namespace arauto::tests
