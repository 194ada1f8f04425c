// What happens to a delivery after an attempt: the only place that decides between trying again,
// giving up and doubt. Pure: time and chance come in as arguments.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "storage/model/outcome.hpp"
#include "storage/model/state.hpp"

namespace arauto {

// Exponential with jitter, half fixed and half random, so that the least span of a whole budget can
// be proven: the default survives an outage of 8 hours.
struct retry_policy {
  std::chrono::milliseconds base{10'000};
  std::chrono::milliseconds cap{3'600'000};
  int attempts_max = 25;
};

enum class doubt_rule : std::uint8_t {
  resend_once, // once more with the same identity after a delay, then hold
  hold,        // wait for a person or for evidence
};

struct doubt_policy {
  doubt_rule rule = doubt_rule::resend_once;
  std::chrono::milliseconds resend_after{300'000};
};

// How long to wait after attempt `attempt` (from 1); random01 in [0, 1). Always within [base / 2,
// cap], at any number.
std::chrono::milliseconds wait_before_next(int attempt, const retry_policy& policy,
                                           double random01);

// The least time the whole budget spans, if every random part came out as zero.
std::chrono::milliseconds least_span(const retry_policy& policy);

struct plan {
  state next = state::in_doubt;
  std::chrono::milliseconds delay{0}; // until the next attempt; counts only while `hold` is false
  bool hold = false;                  // no next attempt without a person or evidence
  std::string cause;
};

// `attempts` counts the one that just ended; `doubtful` tells whether it ever was in doubt before.
plan plan_after(const outcome& what, int attempts, int deferrals, bool doubtful,
                const retry_policy& retry, const doubt_policy& doubt, double random01);

// A worker crashed over it before the provider could hear of it; `lost_leases` without this one.
plan plan_after_crash(int lost_leases, int lost_leases_max, const retry_policy& retry);

} // namespace arauto
