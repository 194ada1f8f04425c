// One push delivery, several devices: what the whole comes to (the aggregate rule). Pure.
//
//   a doubt anywhere          in_doubt; goes on when the first target is due, held when none is
//   else something to be done retry_wait (pending when nothing reached a provider), when the first
//                             target is due
//   else somebody took it     provider_accepted
//   else                      permanent_failure, with the cause of the first refusal that was not a
//                             device's own end
#pragma once

#include <string_view>
#include <vector>

#include "storage/model/message.hpp"
#include "storage/model/outcome.hpp"
#include "storage/model/plan.hpp"

namespace arauto {

struct target_result {
  outcome what;
  plan decided; // plan_after of this target alone
};

// What the attempt as a whole came to, for the trail and the budget: unknown before
// refused_for_now before accepted before refused before bad_address; account_refused or not_begun
// only when nothing of it reached a provider. `addressed` is not empty.
outcome outcome_of_targets(const std::vector<target_result>& addressed);

// `addressed` may be empty: every device ended or moved away; then `others` decides alone, and with
// nobody left it is permanent_failure / no_device. `doubt` says how long a doubt waits for
// evidence.
plan plan_of_targets(const std::vector<target_result>& addressed, const other_targets& others,
                     const doubt_policy& doubt);

// Why a device takes no more messages, from what its provider said; empty: it stays. APNs names the
// time of the end: a token registered after it lives (providers.md 2.2).
std::string_view end_of_token(const outcome& what, std::int64_t registered_at_ms);

} // namespace arauto
