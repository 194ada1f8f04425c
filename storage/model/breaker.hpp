// When to leave a provider account alone: after failures in a row, or at once when it refuses us,
// no slot is given until a time; then one probe, and its answer decides. Time and chance are
// arguments.
#pragma once

#include <chrono>
#include <cstddef>

#include "storage/model/outcome.hpp"
#include "storage/model/plan.hpp"

namespace arauto {

class breaker {
public:
  using time_point = std::chrono::steady_clock::time_point;

  struct policy {
    int failures_max = 3; // in a row, before it opens
    retry_policy pause{std::chrono::milliseconds{1'000}, std::chrono::milliseconds{60'000}, 0};
  };

  breaker() = default;
  explicit breaker(policy rules) : rules_{rules} {}

  // What an attempt through this account came to.
  void heard(const outcome& what, time_point now, double random01);

  // How many sends may be open at `now`, out of `max`: none while paused or asked to wait, one
  // while probing.
  std::size_t allowed(time_point now, std::size_t max) const;

  bool paused() const { return failures_ >= rules_.failures_max; }

private:
  void failed(verdict said, time_point now, double random01);

  policy rules_;
  int failures_ = 0;
  int pauses_ = 0;
  time_point until_{};
  time_point slow_until_{}; // the provider's own wish
};

} // namespace arauto
