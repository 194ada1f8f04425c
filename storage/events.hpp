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

// One device of a push.
struct target_view {
  std::string device_id; // the tenant's own name for it
  outlet of;
  state now = state::pending; // of one that was left over: as its delivery ended
  int attempts = 0;
  int code = 0;
  std::string cause, detail, provider_ref, next_attempt_at, settled_at; // empty: not known
};

struct delivery_view {
  channel via = channel::email;
  state now = state::pending;
  int attempts = 0;
  int deferrals = 0;
  bool doubtful = false;
  std::string next_attempt_at, provider_ref, cause, detail, settled_at; // empty: not known
  std::string waits_for;   // of one that is not final: why not yet, in the words of arauto.waiting
  std::string gives_up_at; // of one in doubt that waits for evidence
  std::string resolved_as; // what a person said of it
  std::vector<attempt_view> trail;
  std::vector<target_view> targets{}; // push, once an attempt was permitted
};

struct event_view {
  event_id id;
  user_id user;
  std::string type, operation, priority;
  std::string created_at, send_at, expires_at, cancelled_at;
  std::vector<delivery_view> deliveries;
};

// With trails and targets. not_found for unknown and foreign ids alike.
result<event_view> find_event(session& db, const tenant_id& tenant, const event_id& id);
result<event_view> find_operation(session& db, const tenant_id& tenant,
                                  const operation_id& operation);

// -- lists ---------------------------------------------------------------------

// Empty: any. A delivery must have the state and the channel at once.
struct event_filter {
  user_id user;
  std::string type;
  std::optional<state> now;
  std::optional<channel> via;
  std::string since; // accepted at or after; RFC 3339
};

// Where a page begins, which is not in it: an event that may be gone, or may never have been.
struct event_place {
  event_id event;
  bool towards_now = false; // else towards the past
};

struct event_page {
  std::vector<event_view> events;          // newest first, without trails and targets
  std::optional<event_place> older, newer; // where to go on; none: there is nothing
};

// At most `rows_max` events, found among at most `walked_max`: a filter that hardly matches gives a
// short page, or an empty one, and the place to go on from. Places are ordered by id, which is the
// time an event came in; one that commits late may appear behind a reader.
result<event_page> list_events(session& db, const tenant_id& tenant, const event_filter& which,
                               const std::optional<event_place>& from, int rows_max,
                               int walked_max);

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
