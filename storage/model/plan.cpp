#include "storage/model/plan.hpp"

#include <algorithm>

namespace arauto {

namespace {

// base * 2^(attempt-1), never past the cap: doubling stops there, so no attempt number can
// overflow.
std::chrono::milliseconds nominal_wait(int attempt, const retry_policy& policy) {
  auto wait = policy.base;
  for (int i = 1; i < attempt && wait < policy.cap; ++i)
    wait *= 2;
  return std::min(wait, policy.cap);
}

plan plan_in_doubt(const std::string& cause, int attempts, int doubts, const retry_policy& retry,
                   const doubt_policy& doubt) {
  const bool again = doubt.rule == doubt_rule::resend && doubts < doubt.resends_max
                     && attempts < retry.attempts_max;
  if (again) return {state::in_doubt, doubt.after, false, cause};
  plan held{state::in_doubt, {}, true, cause};
  if (doubt.rule == doubt_rule::wait) held.gives_up_after = doubt.after;
  return held;
}

} // namespace

std::chrono::milliseconds wait_before_next(int attempt, const retry_policy& policy,
                                           double random01) {
  const auto half = nominal_wait(attempt, policy).count() / 2;
  return std::chrono::milliseconds{
      half + static_cast<std::int64_t>(static_cast<double>(half) * random01)};
}

std::chrono::milliseconds least_span(const retry_policy& policy) {
  std::chrono::milliseconds span{0};
  for (int attempt = 1; attempt < policy.attempts_max; ++attempt)
    span += wait_before_next(attempt, policy, 0.0);
  return span;
}

plan plan_after(const outcome& what, int attempts, int deferrals, int doubts,
                const retry_policy& retry, const doubt_policy& doubt, double random01) {
  const auto wished = std::min(what.retry_after, retry_after_max);
  const auto wait = [&](int n) { return std::max(wait_before_next(n, retry, random01), wished); };
  switch (what.said) {
  case verdict::accepted: return {state::provider_accepted, {}, false, {}};
  case verdict::refused:
  case verdict::bad_address: return {state::permanent_failure, {}, false, what.cause};
  case verdict::refused_for_now:
    if (attempts >= retry.attempts_max)
      return {state::permanent_failure, {}, false, "attempts_exhausted"};
    return {state::retry_wait, wait(attempts), false, what.cause};
  case verdict::not_begun:
  case verdict::account_refused: return {state::pending, wait(deferrals + 1), false, what.cause};
  case verdict::unknown: return plan_in_doubt(what.cause, attempts, doubts, retry, doubt);
  }
  return {};
}

plan plan_after_crash(int lost_leases, int lost_leases_max, const retry_policy& retry) {
  const bool given_up = lost_leases + 1 >= lost_leases_max;
  return {given_up ? state::permanent_failure : state::pending,
          wait_before_next(lost_leases + 1, retry, 0.5), false, "worker_crashed"};
}

} // namespace arauto
