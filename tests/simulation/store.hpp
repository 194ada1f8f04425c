// The simulated store: one table in memory that answers as storage/sql answers, statement by
// statement. Each function here is one transaction and mirrors the .sql file of the same name;
// that it does is tested by conformance_test.cpp, which asks both the same questions. Time is the
// database's clock, given by the owner. Single-threaded.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/dead_letters.hpp"
#include "storage/deliveries.hpp"
#include "storage/events.hpp"

namespace arauto::simulation {

using std::chrono::milliseconds;
using moment = std::chrono::microseconds; // since the world began
inline constexpr moment never = moment::max();

struct delivery_row {
  delivery_key key;
  tenant_id tenant;
  user_id user;
  priority urgency = priority::normal;
  state now = state::pending;
  int attempts = 0;
  int attempts_before = 0; // spent before a person's replay
  int replays = 0;
  int deferrals = 0;
  int lost_leases = 0;
  int doubts = 0;
  std::string stop_reason;
  moment next_attempt_at{0}; // never: held
  std::int64_t token = 0;
  node_id owner;
  std::optional<moment> lease_until, begun_at, accepted_at, settled_at;
  std::optional<moment> doubted_at, gives_up_at;
  std::string provider_ref, cause, resolved_as;
};

struct event_row {
  tenant_id tenant;
  user_id user;
  std::string type, meaning;
  std::optional<moment> send_at, expires_at;
  bool erased = false;
};

struct attempt_row {
  int number = 0;
  std::string outcome;
  int code = 0;
  bool late = false;
};

struct person {
  std::string email; // empty: none
  bool erased = false;
  bool opted_out = false; // of e-mail, for every type
};

class store {
public:
  using person_key = std::pair<tenant_id, user_id>;

  explicit store(std::function<moment()> clock) : now_{std::move(clock)} {}

  // The planted bug: a settlement is believed whatever token it shows.
  bool without_fence = false;

  // -- what keepers ask ---------------------------------------------------------

  std::vector<accept_answer> accept(const std::vector<notification>& asked, const node_id& owner,
                                    milliseconds lease);
  std::vector<storage::lease> claim(const std::vector<storage::room>& rooms, const node_id& owner,
                                    milliseconds lease);
  std::optional<storage::lease> claim_suspect(const node_id& owner, milliseconds lease);
  std::vector<storage::permit> permit(const std::vector<storage::held_delivery>& asked,
                                      milliseconds lease);
  std::vector<storage::settled> settle(const std::vector<storage::settlement>& asked);
  std::vector<storage::held_delivery> renew(const std::vector<storage::held_delivery>& asked,
                                            milliseconds lease);
  std::vector<storage::reaped> reap(const storage::reap_rules& rules, int rows_max);
  std::vector<storage::reaped> give_up_waits(int rows_max);
  std::vector<std::pair<tenant_id, channel>> due_tenants() const;

  // -- what people ask ----------------------------------------------------------

  std::vector<storage::stop_view> stop_event(const tenant_id& tenant, const event_id& id,
                                             const std::string& reason);
  std::vector<storage::stop_view> stop_user(const person_key& who, const std::string& reason);
  bool write_preference(const person_key& who, bool email_allowed); // false: no such person
  bool bury(const person_key& who);
  std::optional<storage::resolved> resolve(const tenant_id& tenant, const delivery_key& which,
                                           storage::resolution as, int attempts_max);
  std::optional<storage::replay_answer> replay(const tenant_id& tenant, const delivery_key& which,
                                               bool even_if_doubtful);
  void erase_messages(const person_key& who);
  void put_person(const person_key& who, const std::string& email);

  // -- looking ------------------------------------------------------------------

  std::map<delivery_key, delivery_row> deliveries;
  std::map<event_id, event_row> events;
  std::map<std::pair<delivery_key, std::int64_t>, attempt_row> attempts;
  std::map<person_key, person> people;
  std::set<std::pair<tenant_id, std::string>> suppressions; // tenant, digest
  std::map<std::pair<tenant_id, operation_id>, event_id> operations;
  std::map<tenant_id, doubt_choice> templates; // what a tenant's template says of doubts

private:
  delivery_row* held_by(const storage::held_delivery& whose);
  bool is_there(const person_key& who) const;
  accept_answer accept_one(const notification& asked) const;
  void make_event(const notification& asked, const node_id& owner, milliseconds lease);
  std::vector<delivery_row*> due(const storage::room& wanted, priority urgency, int limit);
  storage::lease lease_to(delivery_row& row, const node_id& owner, milliseconds length);
  storage::permit permit_one(const storage::held_delivery& asked, milliseconds lease);
  storage::settled settle_one(const storage::settlement& asked);
  void move_settled(delivery_row& row, const storage::settlement& asked, state becomes);
  void keep_evidence(delivery_row& row, const storage::settlement& asked, bool ends_doubt,
                     state becomes);
  void reap_one(delivery_row& row, const storage::reap_rules& rules);
  void keep_trail(const delivery_row& before, const storage::settlement& asked, bool ours);
  std::string stop_one(delivery_row& row, const std::string& reason);
  moment clock() const { return now_(); }

  std::function<moment()> now_;
};

// What two stores are compared by: every column that decides, times only as due, later or held.
std::string digest_of(const std::string& email);

} // namespace arauto::simulation
