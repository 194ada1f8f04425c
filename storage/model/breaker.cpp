#include "storage/model/breaker.hpp"

#include <algorithm>

namespace arauto {

void breaker::heard(const outcome& what, time_point now, double random01) {
  if (what.slows_account)
    slow_until_ = std::max(slow_until_, now + std::min(what.retry_after, retry_after_max));
  if (what.only_this_target) return;
  if (what.said == verdict::not_begun || what.said == verdict::account_refused)
    return failed(what.said, now, random01);
  failures_ = 0;
  pauses_ = 0;
}

void breaker::failed(verdict said, time_point now, double random01) {
  // Answers of sends that were open when the pause began do not prolong it.
  if (paused() && now < until_) return;
  failures_ = said == verdict::account_refused ? rules_.failures_max
                                               : std::min(failures_ + 1, rules_.failures_max);
  if (!paused()) return;
  ++pauses_;
  until_ = now + wait_before_next(pauses_, rules_.pause, random01);
}

std::size_t breaker::allowed(time_point now, std::size_t max) const {
  if (now < slow_until_) return 0;
  if (!paused()) return max;
  return now < until_ ? 0 : std::min<std::size_t>(1, max);
}

} // namespace arauto
