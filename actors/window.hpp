// A bound that is enforced: taking more than there is throws, the actor dies, and its supervisor
// says so in the log. Whoever takes asks for room first; a throw is a bug in the asker, never a
// load.
#pragma once

#include <cstddef>
#include <stdexcept>

namespace arauto {

class window {
public:
  explicit window(std::size_t max = 0) : max_{max} {}

  std::size_t room() const { return max_ - taken_; }
  std::size_t taken() const { return taken_; }
  std::size_t max() const { return max_; }

  void take(std::size_t count = 1) {
    if (count > room()) throw std::logic_error{"window overrun"};
    taken_ += count;
  }
  void give_back(std::size_t count = 1) {
    if (count > taken_) throw std::logic_error{"window underrun"};
    taken_ -= count;
  }

private:
  std::size_t max_;
  std::size_t taken_ = 0;
};

} // namespace arauto
