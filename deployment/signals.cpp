#include "deployment/signals.hpp"

#include <csignal>
#include <thread>

#include <pthread.h>
#include <unistd.h>

namespace arauto::deployment {

namespace {

sigset_t ends() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::sigaddset(&set, SIGINT);
  return set;
}

int next_signal(const sigset_t& set) {
  int number = 0;
  ::sigwait(&set, &number);
  return number;
}

sigset_t ends_and_hang_up() {
  auto set = ends();
  ::sigaddset(&set, SIGHUP);
  return set;
}

} // namespace

void hold_signals() {
  const auto set = ends_and_hang_up();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool signal_waits() {
  sigset_t came;
  ::sigpending(&came);
  return ::sigismember(&came, SIGTERM) == 1 || ::sigismember(&came, SIGINT) == 1;
}

int wait_for_signal(const std::function<void()>& hung_up) {
  auto first = next_signal(ends_and_hang_up());
  for (; first == SIGHUP && hung_up; first = next_signal(ends_and_hang_up()))
    hung_up();
  std::thread{[] { ::_exit(128 + next_signal(ends())); }}.detach();
  return first;
}

void ask_for_end() {
  ::kill(::getpid(), SIGTERM);
}

} // namespace arauto::deployment
