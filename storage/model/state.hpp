// The life of a delivery: its states and the only moves between them (design 5).
// The same table stands in storage/sql/migrations as arauto.move; tests/storage compares them pair
// by pair.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arauto {

enum class state : std::uint8_t {
  pending,           // waits for its time or for room
  leased,            // held by one worker under a lease token
  retry_wait,        // an attempt ended, the next has a time
  in_doubt,          // the provider may have taken it, and nobody knows
  provider_accepted, // final: the provider answered yes
  permanent_failure, // final: refused for good or given up; a person may replay it
  suppressed,        // final: the person does not want it
  cancelled,         // final: the tenant took it back
  expired,           // final: its time passed
};

inline constexpr state all_states[] = {state::pending,
                                       state::leased,
                                       state::retry_wait,
                                       state::in_doubt,
                                       state::provider_accepted,
                                       state::permanent_failure,
                                       state::suppressed,
                                       state::cancelled,
                                       state::expired};

constexpr std::string_view spelled(state s) {
  switch (s) {
  case state::pending: return "pending";
  case state::leased: return "leased";
  case state::retry_wait: return "retry_wait";
  case state::in_doubt: return "in_doubt";
  case state::provider_accepted: return "provider_accepted";
  case state::permanent_failure: return "permanent_failure";
  case state::suppressed: return "suppressed";
  case state::cancelled: return "cancelled";
  case state::expired: return "expired";
  }
  return "";
}

inline std::string to_string(state s) {
  return std::string{spelled(s)};
}

constexpr std::optional<state> state_spelled(std::string_view word) {
  for (auto s : all_states)
    if (spelled(s) == word) return s;
  return std::nullopt;
}

struct move {
  state from;
  state to;
};

inline constexpr move allowed_moves[] = {
    {state::pending, state::leased},
    {state::pending, state::suppressed},
    {state::pending, state::cancelled},
    {state::pending, state::expired},
    {state::pending, state::provider_accepted}, // a stop finds an acceptance on record
    {state::pending, state::in_doubt},          // a stop finds that a doubt stands
    {state::leased, state::provider_accepted},
    {state::leased, state::retry_wait},
    {state::leased, state::permanent_failure},
    {state::leased, state::in_doubt},
    {state::leased, state::suppressed},
    {state::leased, state::cancelled},
    {state::leased, state::expired},
    {state::leased, state::pending}, // given back, no attempt begun
    {state::retry_wait, state::leased},
    {state::retry_wait, state::suppressed},
    {state::retry_wait, state::cancelled},
    {state::retry_wait, state::expired},
    {state::retry_wait, state::permanent_failure},
    {state::retry_wait, state::provider_accepted}, // as from pending
    {state::retry_wait, state::in_doubt},
    {state::in_doubt, state::leased},            // policy: resend with the same identity
    {state::in_doubt, state::provider_accepted}, // evidence, or a person
    {state::in_doubt, state::retry_wait},        // a person: not accepted
    {state::in_doubt, state::permanent_failure},
    {state::permanent_failure, state::pending}, // replay by a person
};

constexpr bool may_move(state from, state to) {
  for (const auto& m : allowed_moves)
    if (m.from == from && m.to == to) return true;
  return false;
}

constexpr bool is_final(state s) {
  return s == state::provider_accepted || s == state::permanent_failure || s == state::suppressed
         || s == state::cancelled || s == state::expired;
}

static_assert(!may_move(state::provider_accepted, state::leased));
static_assert(!may_move(state::cancelled, state::pending));

// What a whole notification looks like from its deliveries; derived, never stored (design 5).
std::string_view aggregate_status(const std::vector<state>& deliveries, bool any_begun);

} // namespace arauto
