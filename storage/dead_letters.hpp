// Dead letters: deliveries that ended in permanent_failure. Lists them, and tries them again when a
// person asks. A replay keeps identity and history, begins a new budget, and is never the end of a
// check: the next permit asks everything again. Thread: the session's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/model/ids.hpp"
#include "storage/model/state.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

// Empty: any. Times are RFC 3339 and speak of settled_at.
struct dead_letter_filter {
  std::string cause, type;
  std::optional<channel> via;
  std::string since, until; // from, and before
};

// Where a page ended.
struct dead_letter_place {
  std::string settled_at;
  delivery_key key;
};

struct dead_letter {
  delivery_key key;
  std::string type;
  user_id user;
  operation_id operation;
  std::string cause, detail;
  int attempts = 0;
  int replays = 0;         // how often a person asked for it again
  bool doubtful = false;   // it was in doubt once
  std::string doubted_at;  // since when nobody knows; empty: no doubt stands
  std::string stop_reason; // empty: not stopped
  bool erased = false;     // its words are gone
  std::string created_at, settled_at;
};

struct dead_letter_page {
  std::vector<dead_letter> letters;
  std::optional<dead_letter_place> next; // where to go on; none: there is nothing
};

// A call looks at no more than so many: a filter that hardly matches gives a short page, or an
// empty one, and the place to go on from.
constexpr int dead_letters_walked_max = 10'000;

// Newest first. `until` of the filter is not asked: the place is.
result<dead_letter_page> dead_letters(session& db, const tenant_id& tenant,
                                      const dead_letter_filter& which,
                                      const std::optional<dead_letter_place>& after, int rows_max,
                                      int walked_max = dead_letters_walked_max);

enum class replay_verdict : std::uint8_t {
  replayed,
  already,  // by somebody else, or by an earlier try of the same call
  not_dead, // `now` says what it is instead
  stopped,  // a stop is never taken back
  erased,   // there are no words any more
  doubtful, // the provider may have it; ask with even_if_doubtful
};

struct replay_answer {
  replay_verdict verdict = replay_verdict::not_dead;
  state now = state::pending;
  std::string next_attempt_at; // empty: does not wait for a time
};

// A dead letter becomes pending and due; a delivery in doubt is sent again, in doubt as it is,
// which needs even_if_doubtful. not_found for unknown and foreign ones alike. Safe to run again
// after commit_in_doubt.
result<replay_answer> replay(session& db, const tenant_id& tenant, const delivery_key& which,
                             bool even_if_doubtful);

struct paced_replay {
  dead_letter_filter which;
  int rows_max = 1'000;
  int per_second = 10;
  bool even_if_doubtful = false;
  std::optional<dead_letter_place> after; // none: from the oldest
  int walked_max = dead_letters_walked_max;
};

struct replay_count {
  int replayed = 0;
  int doubtful = 0, stopped = 0, erased = 0; // passed over
  std::string last_due_at;                   // empty: none was replayed
  std::optional<dead_letter_place> next;     // where to go on; none: there is nothing
};

// Oldest first, spread evenly from now, or from the end of the tenant's paced replay before. Run
// again after commit_in_doubt it goes on where it stands: what was replayed is no dead letter now.
result<replay_count> replay_dead_letters(session& db, const tenant_id& tenant,
                                         const paced_replay& wanted);

} // namespace arauto::storage
