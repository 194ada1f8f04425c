#include "tests/support/real_mail_servers.hpp"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <thread>

#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace arauto::tests {

namespace {

constexpr auto patience = std::chrono::seconds{20};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  made.sin_port = htons(port);
  return made;
}

std::uint16_t free_port() {
  const auto probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto here = loopback(0);
  socklen_t size = sizeof here;
  ::bind(probe, reinterpret_cast<sockaddr*>(&here), size);
  ::getsockname(probe, reinterpret_cast<sockaddr*>(&here), &size);
  ::close(probe);
  return ntohs(here.sin_port);
}

bool accepts(std::uint16_t port) {
  const auto probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto there = loopback(port);
  const auto made = ::connect(probe, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0;
  ::close(probe);
  return made;
}

std::vector<std::string> sink_words(std::vector<std::string> options, std::uint16_t port) {
  std::vector<std::string> words{"/usr/sbin/smtp-sink"};
  if (::geteuid() == 0) words.insert(words.end(), {"-u", "nobody"});
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"127.0.0.1:" + std::to_string(port), "128"});
  return words;
}

} // namespace

own_program::own_program(const std::vector<std::string>& words) {
  int output[2], input[2];
  if (::pipe2(output, O_CLOEXEC) != 0 || ::pipe2(input, O_CLOEXEC) != 0)
    throw std::runtime_error{"no pipes for " + words[0]};
  std::vector<char*> arguments;
  for (const auto& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  process_ = ::fork();
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(input[0], STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(output[1]);
  ::close(input[0]);
  output_ = output[0];
  input_ = input[1];
}

own_program::~own_program() {
  ::close(input_);
  ::close(output_);
  ::kill(process_, SIGTERM);
  ::waitpid(process_, nullptr, 0);
}

std::string own_program::first_line() const {
  std::string line;
  pollfd ready{output_, POLLIN, 0};
  const auto wait_ms =
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(patience).count());
  char c = 0;
  while (::poll(&ready, 1, wait_ms) == 1 && ::read(output_, &c, 1) == 1 && c != '\n')
    line += c;
  return line;
}

// smtp-sink does not say when it is ready; its port does.
smtp_sink::smtp_sink(const std::vector<std::string>& options)
    : port_{free_port()}, program_{sink_words(options, port_)} {
  const auto given_up = std::chrono::steady_clock::now() + patience;
  while (!accepts(port_)) {
    if (std::chrono::steady_clock::now() > given_up)
      throw std::runtime_error{"smtp-sink did not start"};
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

aiosmtpd_peer::aiosmtpd_peer(const std::string& directory, const certificate& papers)
    : program_{{"/usr/bin/python3", ARAUTO_SOURCE_DIR "/tests/support/aiosmtpd_peer.py", directory,
                papers.certificate_file, papers.key_file}} {
  const auto line = program_.first_line();
  if (line.compare(0, 6, "ready ") != 0) throw std::runtime_error{"aiosmtpd did not start"};
  port_ = static_cast<std::uint16_t>(std::stoi(line.substr(6)));
}

} // namespace arauto::tests
