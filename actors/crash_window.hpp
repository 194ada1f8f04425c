// How many crashes lie within the last while: what a restart limit is judged by.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

namespace arauto {

class crash_window {
public:
  using time_point = std::chrono::steady_clock::time_point;

  // Notes one and gives how many stand within `length`, this one included.
  std::size_t count(time_point now, std::chrono::seconds length) {
    crashes_.push_back(now);
    while (now - crashes_.front() > length)
      crashes_.pop_front();
    return crashes_.size();
  }
  std::size_t size() const { return crashes_.size(); }

private:
  std::deque<time_point> crashes_;
};

} // namespace arauto
