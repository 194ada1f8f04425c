// Grants, judges, settles, renews and ends leases: every statement that moves a delivery on behalf
// of a worker. All are batches with a verdict per item; called by keepers only, one thread per
// session. Nothing here sends anything or decides whether to retry (model/plan.hpp does).
//
// An application may hold rows of ours in a transaction it never ends. A batch that waited for such
// a row in vain is run again without it (`row_held`), and for a while the session does not wait at
// all: the deliveries of others must not stand behind one lock.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/model/message.hpp"
#include "storage/model/outcome.hpp"
#include "storage/model/plan.hpp"
#include "storage/model/provider.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

using std::chrono::milliseconds;

struct lease {
  delivery_key key;
  lease_token held;
  tenant_id tenant;
  priority urgency = priority::normal;
  int lost_leases = 0;
  // Where it may go now: e-mail has one; push one for each kind of device that is due, none when
  // there is no device any more (its permit will say so).
  std::vector<outlet> outlets{};
};

// Room for deliveries of one tenant and channel; urgent ones get at most `urgent` of it.
struct room {
  tenant_id tenant;
  channel via = channel::email;
  int deliveries = 0;
  int urgent = 0;
};

// commit_in_doubt: the rows are leased to nobody who knows; their leases run out and the reaper
// returns them.
result<std::vector<lease>> claim(session& db, const std::vector<room>& rooms, const node_id& owner,
                                 milliseconds length);

// One delivery that took workers down before; it must run alone on this node.
result<std::optional<lease>> claim_suspect(session& db, const std::vector<channel>& served,
                                           const node_id& owner, milliseconds length);

struct held_delivery {
  delivery_key key;
  lease_token held;
  tenant_id tenant;
};

inline held_delivery as_held(const lease& whole) {
  return {whole.key, whole.held, whole.tenant};
}

struct permit {
  bool still_ours = false;   // false: the lease is lost, nothing was changed
  state now = state::leased; // leased: go ahead with the facts; else the attempt is forbidden and
                             // this is why
  send_facts facts;
  bool row_held = false; // somebody else holds the row: nothing was judged, ask again
};

// An attempt of a push addresses the due devices of one outlet: the one whose courier gave the
// slot.
struct permit_question {
  delivery_key key;
  lease_token held;
  tenant_id tenant;
  outlet through;
};

inline permit_question may_begin(const held_delivery& whose, outlet through) {
  return {whose.key, whose.held, whose.tenant, std::move(through)};
}

// permits[i] answers asked[i]. The first permit of a budget decides which devices a push is for:
// those registered at that moment. A device that ended or moved away meanwhile is not addressed.
// Safe to run again after commit_in_doubt: one token is counted once.
result<std::vector<permit>> ask_permits(session& db, const std::vector<permit_question>& asked,
                                        milliseconds length);

// What one device's provider said.
struct target_told {
  std::string device_id;
  std::string registered_at; // of the token that was addressed, as the permit gave it
  outcome what;
  plan decided;           // of this target alone: its state, delay and hold count
  std::string end_reason; // this token takes no more messages, and why; empty: it stays
};

struct settlement {
  delivery_key key;
  lease_token held;
  tenant_id tenant;
  plan decided;
  bool attempted = true;   // false: nothing is added to the trail
  outcome what;            // counts only when attempted
  bool given_back = false; // the permit's attempt is not counted
  bool deferred = false;
  bool lost = false;           // a worker died over it before its permit
  std::string suppress_digest; // the address that turned out to be bad, 64 hex digits; empty: none
  std::vector<target_told> targets{}; // push: of each device that was addressed
};

// The answer of some of the devices, before the others have answered: what is recorded is not sent
// again, whatever happens to us. Idempotent; a stale holder's acceptance is kept all the same.
struct targets_note {
  held_delivery whose;
  std::vector<target_told> targets;
};
result<done> note_targets(session& db, const std::vector<targets_note>& told);

struct settled {
  bool ours = false; // false: stale; no state was written, what was learned is kept as evidence
  state now = state::leased;
  bool row_held = false; // somebody else holds the row: nothing was written, ask again
};

// answers[i] belongs to asked[i]. Safe to run again after commit_in_doubt: our own success is not
// stale.
result<std::vector<settled>> settle(session& db, const std::vector<settlement>& asked);

// Settlements first, then permits, in one transaction: half the COMMITs of a busy node. Safe to run
// again after commit_in_doubt, as each of them is.
struct settled_and_permitted {
  std::vector<settled> settlements;
  std::vector<permit> permits;
};

result<settled_and_permitted> settle_and_permit(session& db,
                                                const std::vector<settlement>& settlements,
                                                const std::vector<permit_question>& permits,
                                                milliseconds length);

// Gives those that could NOT be renewed: lost, or their row is held by somebody else just now.
result<std::vector<held_delivery>> renew(session& db, const std::vector<held_delivery>& asked,
                                         milliseconds length);

struct reaped {
  tenant_id tenant;
  delivery_key key;
  lease_token lost;
  state now = state::pending;
};

// What the bounds are for deliveries whose worker never came back.
struct reap_rules {
  int lost_leases_max = 5;
  int attempts_max = 25;
  doubt_policy doubt; // where the template says nothing
};

result<std::vector<reaped>> reap(session& db, const reap_rules& rules, int rows_max);

// Ends doubts that waited for evidence long enough.
result<std::vector<reaped>> give_up_waits(session& db, int rows_max);

struct doubt_count {
  int deliveries = 0; // at most rows_max
  int held = 0;       // of them: only evidence or a person will move these
};

result<doubt_count> count_in_doubt(session& db, int rows_max);

// What a person says of a delivery in doubt.
enum class resolution : std::uint8_t { accepted, not_accepted };

struct resolved {
  bool taken = false;   // false: it is not in doubt, nothing was changed
  bool changed = false; // false with `taken`: the same was said before
  state now = state::in_doubt;
  lease_token last; // of the attempt that was doubted
};

// not_found for unknown and foreign ones alike. Safe to run again after commit_in_doubt.
result<resolved> resolve(session& db, const tenant_id& tenant, const delivery_key& which,
                         resolution as, int attempts_max);

result<std::vector<std::pair<tenant_id, channel>>> due_tenants(session& db,
                                                               const std::vector<channel>& served);

} // namespace arauto::storage
