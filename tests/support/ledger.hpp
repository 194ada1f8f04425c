// A database with one tenant that can be told things: `acme`, user `ana`, template `order.shipped`;
// and the few steps every storage test takes. Each step asserts that it worked, so that a test only
// says what it is about.
#pragma once

#include <string>
#include <vector>

#include "storage/deliveries.hpp"
#include "storage/events.hpp"
#include "storage/people.hpp"
#include "storage/templates.hpp"
#include "storage/tenants.hpp"
#include "tests/support/own_database.hpp"

namespace arauto::tests {

inline const tenant_id acme{"acme"};
inline const user_id ana{"ana"};
inline const storage::signature a_test{"cli:test", {}};
inline constexpr std::chrono::milliseconds lease_length{30'000};
inline constexpr doubt_policy resend_at_once{doubt_rule::resend, std::chrono::milliseconds{0}, 1};

event_id new_event_id();
node_id new_node_id();
notification order_shipped(const std::string& operation);

// Tenant, template and user, in any database.
void add_tenant(storage::session& db, const tenant_id& tenant);
void add_user(storage::session& db, const tenant_id& tenant, const user_id& user,
              const std::string& email);

struct ledger : own_database {
  ledger();

  storage::session db;
  const node_id node = new_node_id();

  void add_tenant(const tenant_id& tenant) { tests::add_tenant(db, tenant); }
  void add_user(const tenant_id& tenant, const user_id& user, const std::string& email) {
    tests::add_user(db, tenant, user, email);
  }
  accept_answer accept_one(const notification& asked);
  event_id accepted_event(const std::string& operation); // asserts `created`
  std::vector<storage::lease> claim(int room = 100);
  storage::lease claim_one();
  storage::permit permit_one(const storage::lease& held);
  storage::settled settle_one(const storage::lease& held, verdict said, const plan& decided);
  storage::settled settle_accepted(const storage::lease& held);
  std::vector<storage::reaped> reap_all(const doubt_policy& of_channel = {});
  void let_expire(const storage::lease& held); // moves the lease's end into the past
  state state_of(const event_id& id, channel via = channel::email);
  // Plain SQL, for looking and for damage no door offers.
  pqxx::result sql(const std::string& text);
  std::string value(const std::string& text);
};

} // namespace arauto::tests
