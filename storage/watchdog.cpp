#include "storage/watchdog.hpp"

#include <sys/socket.h>

#include "storage/log.hpp"

namespace arauto::storage {

namespace {

constexpr std::chrono::milliseconds look_every{250};

} // namespace

std::shared_ptr<watchdog> watchdog::shared() {
  static std::mutex mutex;
  static std::weak_ptr<watchdog> living;
  const std::lock_guard lock{mutex};
  auto dog = living.lock();
  if (!dog) {
    dog = std::make_shared<watchdog>();
    living = dog;
  }
  return dog;
}

watchdog::watchdog() : thread_{[this] { run(); }} {}

watchdog::~watchdog() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  stop_asked_.notify_all();
  thread_.join();
}

void watchdog::run() {
  std::unique_lock lock{mutex_};
  while (!stop_asked_.wait_for(lock, look_every, [this] { return stopping_; })) {
    const auto now = std::chrono::steady_clock::now();
    for (auto& one : watched_)
      if (one.socket >= 0 && now >= one.ends) {
        ::shutdown(one.socket, SHUT_RDWR);
        one.socket = -1; // once is enough
        log::warn("database_silent", {});
      }
  }
}

watchdog::guard::guard(watchdog& dog, int socket, std::chrono::milliseconds patience) : dog_{dog} {
  const std::lock_guard lock{dog_.mutex_};
  place_ = dog_.watched_.insert(dog_.watched_.end(),
                                {socket, std::chrono::steady_clock::now() + patience});
}

watchdog::guard::~guard() {
  const std::lock_guard lock{dog_.mutex_};
  dog_.watched_.erase(place_);
}

} // namespace arauto::storage
