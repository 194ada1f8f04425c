// What a tenant asks for, and what the ledger answers. Values only; shape and limits are checked
// before one is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/model/ids.hpp"
#include "storage/model/provider.hpp"
#include "storage/model/state.hpp"

namespace arauto {

// One event for one user. The id is made by the asker, so that a COMMIT in doubt can be run again
// with the same id. Meaning (the fingerprint) is computed by arauto.fingerprint in SQL, for both
// doors, from these fields as text.
struct notification {
  event_id id;
  tenant_id tenant;
  user_id user;
  std::string type;
  std::string variables = "{}"; // a JSON object as text, numbers as written
  operation_id operation;
  bool channels_given = false;   // false: every channel that has a template for the type
  std::vector<channel> channels; // sorted, without repeats
  priority urgency = priority::normal;
  std::string send_at;                // RFC 3339 or empty
  std::string expires_at;             // RFC 3339 or empty
  std::vector<channel> lease_at_once; // channels whose delivery may be born leased to this node
};

enum class acceptance : std::uint8_t {
  created,
  replayed, // the same operation with the same meaning was accepted before
  conflict, // the same operation with another meaning was accepted before
  unknown_user,
  no_template,      // `subject` names the channel, empty when the type has no template at all
  missing_variable, // `subject` names the variable
  expired,          // its expires_at has passed, by the database's clock
  in_progress,      // another open transaction holds this operation id
};

inline constexpr acceptance all_acceptances[] = {
    acceptance::created,      acceptance::replayed,    acceptance::conflict,
    acceptance::unknown_user, acceptance::no_template, acceptance::missing_variable,
    acceptance::expired,      acceptance::in_progress};

constexpr std::string_view spelled(acceptance verdict) {
  switch (verdict) {
  case acceptance::created: return "created";
  case acceptance::replayed: return "replayed";
  case acceptance::conflict: return "conflict";
  case acceptance::unknown_user: return "unknown_user";
  case acceptance::no_template: return "no_template";
  case acceptance::missing_variable: return "missing_variable";
  case acceptance::expired: return "expired";
  case acceptance::in_progress: return "in_progress";
  }
  return "";
}

constexpr std::optional<acceptance> acceptance_spelled(std::string_view word) {
  for (auto one : all_acceptances)
    if (spelled(one) == word) return one;
  return std::nullopt;
}

struct accepted_delivery {
  channel via = channel::email;
  state now = state::pending;
  std::vector<outlet> outlets{}; // leased: where it may go now
};

struct accept_answer {
  acceptance verdict = acceptance::created;
  event_id id;            // of the event that stands; empty for refusals
  std::string created_at; // RFC 3339 UTC, microseconds
  std::vector<accepted_delivery> deliveries;
  std::string subject;
};

} // namespace arauto
