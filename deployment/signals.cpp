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

int next_signal() {
  const auto set = ends();
  int number = 0;
  ::sigwait(&set, &number);
  return number;
}

} // namespace

void hold_signals() {
  const auto set = ends();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool signal_waits() {
  sigset_t came;
  ::sigpending(&came);
  return ::sigismember(&came, SIGTERM) == 1 || ::sigismember(&came, SIGINT) == 1;
}

int wait_for_signal() {
  const auto first = next_signal();
  std::thread{[] { ::_exit(128 + next_signal()); }}.detach();
  return first;
}

void ask_for_end() {
  ::kill(::getpid(), SIGTERM);
}

} // namespace arauto::deployment
