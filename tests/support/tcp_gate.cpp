#include "tests/support/tcp_gate.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace arauto::tests {

namespace {

constexpr int look_ms = 50;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool readable(int socket) {
  pollfd one{socket, POLLIN, 0};
  return poll(&one, 1, look_ms) > 0;
}

bool write_all(int socket, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto count = send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

// Empty: the other end is gone.
std::string read_some(int socket) {
  std::array<char, 65536> bytes{};
  const auto count = recv(socket, bytes.data(), bytes.size(), 0);
  return count <= 0 ? std::string{} : std::string{bytes.data(), static_cast<std::size_t>(count)};
}

} // namespace

tcp_gate::tcp_gate(int server_port)
    : server_port_{server_port}, listener_{socket(AF_INET, SOCK_STREAM, 0)} {
  auto address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0
      || listen(listener_, 64) != 0
      || getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error{"no gate"};
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread{[this] { accept_all(); }};
}

tcp_gate::~tcp_gate() {
  stopping_ = true;
  acceptor_.join();
  for (auto& one : carriers_)
    one.join();
  close(listener_);
}

void tcp_gate::set(mode next, const std::string& word) {
  const std::lock_guard lock{mutex_};
  mode_ = next;
  word_ = word;
}

tcp_gate::mode tcp_gate::judge(const std::string& question) {
  const std::lock_guard lock{mutex_};
  if (mode_ == mode::pass || question.find(word_) == std::string::npos) return mode::pass;
  return std::exchange(mode_, mode::pass);
}

void tcp_gate::accept_all() {
  while (!stopping_)
    if (readable(listener_))
      carriers_.emplace_back(
          [this, client = accept(listener_, nullptr, nullptr)] { carry(client); });
}

void tcp_gate::carry(int client) {
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  auto address = loopback(server_port_);
  bool open = connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  bool silent = false;
  while (open && !stopping_) {
    std::array<pollfd, 2> both{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (poll(both.data(), both.size(), look_ms) <= 0) continue;
    if (both[1].revents != 0) {
      const auto answer = read_some(server);
      open = !answer.empty() && (silent || write_all(client, answer));
    }
    if (open && both[0].revents != 0) {
      const auto question = read_some(client);
      const auto now = judge(question);
      silent = silent || now == mode::fall_silent;
      open = !question.empty() && now != mode::lose_question && write_all(server, question);
      if (now == mode::lose_answer) {
        readable(server); // it has been done; nobody will hear of it
        open = false;
      }
    }
  }
  close(server);
  close(client);
}

} // namespace arauto::tests
