// What happens to a delivery after an attempt: the only place that decides between trying again,
// giving up and doubt. Pure: time and chance come in as arguments.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "storage/model/doubt.hpp"
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

// A provider's own wish is kept, but nobody may send us away for years.
inline constexpr std::chrono::milliseconds retry_after_max{24 * 3'600'000};

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
  std::chrono::milliseconds gives_up_after{0}; // in_doubt: it ends without evidence; 0: it does not
};

// `attempts` counts the one that just ended; `doubts` how often it was in doubt before. What
// follows a doubt is decided here and, for workers that never came back, in storage/sql/reap.sql:
// a test compares the two.
plan plan_after(const outcome& what, int attempts, int deferrals, int doubts,
                const retry_policy& retry, const doubt_policy& doubt, double random01);

// A worker crashed over it before the provider could hear of it; `lost_leases` without this one.
plan plan_after_crash(int lost_leases, int lost_leases_max, const retry_policy& retry);

} // namespace arauto
