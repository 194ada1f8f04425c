#include "storage/pool.hpp"

namespace arauto::storage {

pool::pool(const database_settings& settings, std::size_t sessions_max) {
  for (std::size_t i = 0; i < sessions_max; ++i)
    idle_.push_back(std::make_unique<session>(settings));
}

std::unique_ptr<session> pool::borrow(std::chrono::milliseconds patience) {
  std::unique_lock lock{mutex_};
  if (!freed_.wait_for(lock, patience, [this] { return !idle_.empty(); })) return nullptr;
  auto held = std::move(idle_.back()); // the last one back is the warmest
  idle_.pop_back();
  return held;
}

void pool::give_back(std::unique_ptr<session> what) {
  {
    const std::lock_guard lock{mutex_};
    idle_.push_back(std::move(what));
  }
  freed_.notify_one();
}

} // namespace arauto::storage
