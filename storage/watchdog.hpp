// Ends conversations that are overdue: libpq has no read timeout, so a database that accepts bytes
// and never answers would hold its caller for good. One thread for the process; it shuts the socket
// down, and libpq then reports a broken connection to the caller, whose next step is the ordinary
// one (nothing happened, or commit in doubt).
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace arauto::storage {

class watchdog {
  struct watched {
    int socket;
    std::chrono::steady_clock::time_point ends;
  };

public:
  // The one of this process; lives while any session holds it.
  static std::shared_ptr<watchdog> shared();
  watchdog();
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  // While it lives, `socket` is shut down once `patience` has passed. The socket must outlive it.
  class [[nodiscard]] guard {
  public:
    guard(watchdog& dog, int socket, std::chrono::milliseconds patience);
    ~guard();
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;

  private:
    watchdog& dog_;
    std::list<watched>::iterator place_;
  };

private:
  void run();
  std::mutex mutex_;
  std::condition_variable stop_asked_;
  bool stopping_ = false;
  std::list<watched> watched_;
  std::thread thread_;
};

} // namespace arauto::storage
