// Events: accepting them in groups, finding them, taking them back. Thread: the session's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/model/event.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

// Commits many notifications of many tenants as one transaction; answers[i] belongs to asked[i] (no
// neighbour suffers for another's bad item). commit_in_doubt: run it again with the same ids. busy:
// an open transaction holds one of the operation ids; ask in smaller parts, a part of one is
// answered in_progress.
result<std::vector<accept_answer>> accept(session& db, const std::vector<notification>& asked,
                                          const node_id& owner, std::chrono::milliseconds lease);

struct attempt_view {
  int number = 0;
  std::string begun_at, ended_at; // RFC 3339 UTC
  std::string outcome;            // spelled(verdict)
  int code = 0;
  std::string detail;
};

struct delivery_view {
  channel via = channel::email;
  state now = state::pending;
  int attempts = 0;
  int deferrals = 0;
  bool doubtful = false;
  std::string next_attempt_at, provider_ref, cause, detail, settled_at; // empty: not known
  std::string waits_for, gives_up_at; // of one in doubt: resend, evidence (until when) or person
  std::string resolved_as;            // what a person said of it
  std::vector<attempt_view> trail;
};

struct event_view {
  event_id id;
  user_id user;
  std::string type, operation, priority, variables;
  std::string created_at, send_at, expires_at, cancelled_at;
  std::vector<delivery_view> deliveries;
};

// not_found for unknown and foreign ids alike.
result<event_view> find_event(session& db, const tenant_id& tenant, const event_id& id);
result<event_view> find_operation(session& db, const tenant_id& tenant,
                                  const operation_id& operation);

// What a stop came to, per delivery: "stopped", "in_flight", "in_doubt", or the final state's own
// word (design 4, exact stop).
struct stop_view {
  event_id event;
  channel via = channel::email;
  std::string came_to;
};

// After this returned, no attempt of the event begins, except those it names in flight.
result<std::vector<stop_view>> cancel_event(session& db, const tenant_id& tenant,
                                            const event_id& id);

} // namespace arauto::storage
