// Push services that asked to be left alone for a while. Bounded: past its size the wait that ends
// first is forgotten. Thread-safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace arauto::channels {

class host_waits {
public:
  using steady = std::chrono::steady_clock;

  explicit host_waits(std::size_t hosts_max = 1'024) : hosts_max_{hosts_max} {}

  void asked(const std::string& origin, steady::time_point until) {
    const std::lock_guard<std::mutex> hold{mutex_};
    const auto found = until_.find(origin);
    if (found != until_.end()) {
      found->second = std::max(found->second, until);
      return;
    }
    if (until_.size() >= hosts_max_)
      until_.erase(std::min_element(until_.begin(), until_.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      }));
    until_.emplace(origin, until);
  }

  // 0: nothing to wait for.
  std::chrono::milliseconds left(const std::string& origin, steady::time_point now) {
    const std::lock_guard<std::mutex> hold{mutex_};
    const auto found = until_.find(origin);
    if (found == until_.end()) return std::chrono::milliseconds{0};
    if (now < found->second)
      return std::chrono::duration_cast<std::chrono::milliseconds>(found->second - now)
             + std::chrono::milliseconds{1}; // never earlier
    until_.erase(found);
    return std::chrono::milliseconds{0};
  }

private:
  const std::size_t hosts_max_;
  std::mutex mutex_;
  std::map<std::string, steady::time_point> until_;
};

} // namespace arauto::channels
