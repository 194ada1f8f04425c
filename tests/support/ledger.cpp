#include "tests/support/ledger.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/model/chance.hpp"
#include "storage/model/uuid.hpp"

namespace arauto::tests {

event_id new_event_id() {
  return {uuid_v7(std::chrono::system_clock::now(), random_bytes_10())};
}

node_id new_node_id() {
  return {new_event_id().text};
}

notification order_shipped(const std::string& operation) {
  notification asked;
  asked.id = new_event_id();
  asked.tenant = acme;
  asked.user = ana;
  asked.type = "order.shipped";
  asked.variables = R"({"order":"A-1"})";
  asked.operation = {operation};
  return asked;
}

ledger::ledger() : db{settings()} {
  add_tenant(acme);
  add_user(acme, ana, "ana@example.com");
}

void add_tenant(storage::session& db, const tenant_id& tenant) {
  storage::tenant_view wanted;
  wanted.id = tenant;
  wanted.name = tenant.text;
  BOOST_REQUIRE(storage::create_tenant(db, wanted, a_test));
  storage::template_view words;
  words.type = "order.shipped";
  words.parts = {{"subject", "Order {{order}}"}, {"text", "Order {{order}} is on its way."}};
  words.required = {"order"};
  BOOST_REQUIRE(storage::put_template(db, tenant, words));
}

void add_user(storage::session& db, const tenant_id& tenant, const user_id& user,
              const std::string& email) {
  storage::recipient who;
  who.user = user;
  who.email = email;
  who.email_key = email;
  BOOST_REQUIRE(storage::put_recipient(db, tenant, who));
}

accept_answer ledger::accept_one(const notification& asked) {
  auto answers = storage::accept(db, {asked}, node, lease_length);
  BOOST_REQUIRE_MESSAGE(answers, to_string(answers.error()) + " " + answers.why().text);
  return answers->at(0);
}

event_id ledger::accepted_event(const std::string& operation) {
  const auto answer = accept_one(order_shipped(operation));
  BOOST_REQUIRE(answer.verdict == acceptance::created);
  return answer.id;
}

std::vector<storage::lease> ledger::claim(int room) {
  auto leases = storage::claim(db, {{acme, channel::email, room, room}}, node, lease_length);
  BOOST_REQUIRE_MESSAGE(leases, to_string(leases.error()) + " " + leases.why().text);
  return *leases;
}

storage::lease ledger::claim_one() {
  auto leases = claim(1);
  BOOST_REQUIRE_EQUAL(leases.size(), 1);
  return leases[0];
}

storage::permit ledger::permit_one(const storage::lease& held) {
  auto permits =
      storage::ask_permits(db, {storage::may_begin(storage::as_held(held), {})}, lease_length);
  BOOST_REQUIRE_MESSAGE(permits, to_string(permits.error()) + " " + permits.why().text);
  return permits->at(0);
}

storage::settled ledger::settle_one(const storage::lease& held, verdict said, const plan& decided) {
  storage::settlement one;
  one.key = held.key;
  one.held = held.held;
  one.tenant = held.tenant;
  one.decided = decided;
  one.what.said = said;
  auto answers = storage::settle(db, {one});
  BOOST_REQUIRE_MESSAGE(answers, to_string(answers.error()) + " " + answers.why().text);
  return answers->at(0);
}

storage::settled ledger::settle_accepted(const storage::lease& held) {
  return settle_one(held, verdict::accepted, {state::provider_accepted, {}, false, {}});
}

std::vector<storage::reaped> ledger::reap_all(const doubt_policy& of_channel) {
  storage::reap_rules rules;
  rules.doubt = of_channel;
  auto reaped = storage::reap(db, rules, 100);
  BOOST_REQUIRE_MESSAGE(reaped, to_string(reaped.error()) + " " + reaped.why().text);
  return *reaped;
}

void ledger::let_expire(const storage::lease& held) {
  sql("update arauto.delivery set lease_until = clock_timestamp() - interval '1 second' where "
      "event_id = '"
      + held.key.event.text + "' and state = 'leased'");
}

state ledger::state_of(const event_id& id, channel via) {
  const auto word = value("select state from arauto.delivery where event_id = '" + id.text
                          + "' and channel = '" + to_string(via) + "'");
  const auto known = state_spelled(word);
  BOOST_REQUIRE_MESSAGE(known, "no such delivery state: " + word);
  return *known;
}

pqxx::result ledger::sql(const std::string& text) {
  pqxx::connection connection{url};
  pqxx::work work{connection};
  auto rows = work.exec(text);
  work.commit();
  return rows;
}

std::string ledger::value(const std::string& text) {
  const auto rows = sql(text);
  BOOST_REQUIRE_EQUAL(rows.size(), 1);
  return rows[0][0].is_null() ? "" : rows[0][0].c_str();
}

} // namespace arauto::tests
