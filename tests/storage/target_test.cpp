// One push, several devices, as the rows have it (P3, P6): who is addressed, what is recorded, and
// what the reaper, a person, time and a replay make of it.
#include <boost/test/unit_test.hpp>

#include "storage/dead_letters.hpp"
#include "storage/devices.hpp"
#include "storage/model/targets.hpp"
#include "storage/sql/statements.hpp"
#include "tests/support/ledger.hpp"

namespace arauto::tests {

namespace {

const outlet fcm{provider::fcm, ""};
const outlet apns{provider::apns, "com.acme"};

outcome says(verdict what, const std::string& cause = "") {
  outcome one;
  one.said = what;
  one.cause = cause;
  return one;
}

struct pushes : ledger {
  pushes() {
    storage::template_view words;
    words.type = "order.shipped";
    words.via = channel::push;
    words.parts = {{"title", "Order {{order}}"}};
    words.required = {"order"};
    BOOST_REQUIRE(storage::put_template(db, acme, words));
  }
  void add(const std::string& id, const outlet& of = fcm) {
    BOOST_REQUIRE(storage::put_device(db, acme, ana, {id, of, "token-" + id, {}, {}}));
  }
  event_id push(const std::string& operation, const std::string& expires_at = "") {
    auto asked = order_shipped(operation);
    asked.channels_given = true;
    asked.channels = {channel::push};
    asked.expires_at = expires_at;
    const auto made = accept_one(asked);
    BOOST_REQUIRE(made.verdict == acceptance::created);
    return made.id;
  }
  storage::lease claim_push() {
    auto leases = storage::claim(db, {{acme, channel::push, 1, 1}}, node, lease_length);
    BOOST_REQUIRE(leases);
    BOOST_REQUIRE_EQUAL(leases->size(), 1u);
    return leases->front();
  }
  storage::permit begin(const storage::lease& held, const outlet& through = fcm) {
    auto made = storage::ask_permits(db, {storage::may_begin(storage::as_held(held), through)},
                                     lease_length);
    BOOST_REQUIRE(made);
    BOOST_REQUIRE(made->at(0).still_ours);
    return made->at(0);
  }
  storage::target_told told(const target_facts& target, const outcome& said) {
    const auto decided = plan_after(said, 1, 0, 0, {}, resend_at_once, 0.5);
    return {target.device_id, target.registered_at, said, decided,
            std::string{end_of_token(said, target.registered_at_ms)}};
  }
  // As a delivery settles: every addressed device said the same.
  void settle(const storage::lease& held, const storage::permit& made, const outcome& said) {
    std::vector<target_result> all;
    storage::settlement what;
    what.key = held.key;
    what.held = held.held;
    what.tenant = held.tenant;
    for (const auto& one : made.facts.targets) {
      what.targets.push_back(told(one, said));
      all.push_back({said, what.targets.back().decided});
    }
    what.what = outcome_of_targets(all);
    what.decided = plan_of_targets(all, made.facts.others, resend_at_once);
    auto answer = storage::settle(db, {what});
    BOOST_REQUIRE(answer);
    BOOST_REQUIRE(answer->at(0).ours);
  }
  std::string targets() {
    return value("select string_agg(device_id || ' ' || state, ', ' order by device_id) from "
                 "arauto.target");
  }
  std::string now_of(const event_id& id) { return to_string(state_of(id, channel::push)); }
};

std::string names(const std::vector<target_facts>& targets) {
  std::string all;
  for (const auto& one : targets)
    all += (all.empty() ? "" : " ") + one.device_id;
  return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(targets_of_pushes)

BOOST_FIXTURE_TEST_CASE(a_lease_says_which_outlets_are_due, pushes) {
  add("phone");
  add("tablet");
  add("watch", apns);
  push("o-1");
  const auto held = claim_push();
  BOOST_REQUIRE_EQUAL(held.outlets.size(), 2u);
  BOOST_TEST(to_string(held.outlets[0]) == "apns/com.acme");
  BOOST_TEST(to_string(held.outlets[1]) == "fcm/");
}

BOOST_FIXTURE_TEST_CASE(a_permit_addresses_one_outlet_and_tells_how_the_others_stand, pushes) {
  add("phone");
  add("tablet");
  add("watch", apns);
  push("o-1");
  const auto held = claim_push();
  for (int asked = 0; asked < 2; ++asked) { // the second time nothing changes
    const auto made = begin(held);
    BOOST_TEST(names(made.facts.targets) == "phone tablet");
    BOOST_TEST(made.facts.targets[0].token == "token-phone");
    BOOST_TEST(made.facts.others.outstanding == 1);
    BOOST_TEST(targets() == "phone leased, tablet leased, watch pending");
    BOOST_TEST(value("select max(attempts) from arauto.target") == "1");
  }
}

BOOST_FIXTURE_TEST_CASE(the_first_permit_decides_whom_a_push_is_for, pushes) {
  add("phone");
  const auto id = push("o-1");
  auto held = claim_push();
  settle(held, begin(held), says(verdict::refused_for_now, "busy"));
  add("newer");
  sql("update arauto.delivery set next_attempt_at = now(); update arauto.target set due_at = "
      "now()");
  held = claim_push();
  const auto made = begin(held);
  BOOST_TEST(names(made.facts.targets) == "phone");
  settle(held, made, says(verdict::accepted));
  BOOST_TEST(now_of(id) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(a_token_that_moved_away_is_not_addressed_any_more_S36, pushes) {
  const user_id ben{"ben"};
  add_user(acme, ben, "ben@example.com");
  add("phone");
  push("o-1");
  const auto held = claim_push();
  BOOST_REQUIRE(storage::put_device(db, acme, ben, {"phone", fcm, "token-phone", {}, {}}));
  const auto made = begin(held);
  BOOST_TEST(made.facts.targets.empty());
  BOOST_TEST(to_string(plan_of_targets({}, made.facts.others, {}).next) == "permanent_failure");
}

BOOST_FIXTURE_TEST_CASE(a_token_registered_anew_meanwhile_is_not_ended, pushes) {
  add("phone");
  push("o-1");
  const auto held = claim_push();
  const auto made = begin(held);
  add("phone"); // the app said it again
  settle(held, made, says(verdict::bad_address, "unregistered"));
  BOOST_TEST(value("select ended_at is null from arauto.device") == "t");
}

BOOST_FIXTURE_TEST_CASE(what_one_device_said_stands_when_its_worker_is_lost_P3_P6, pushes) {
  add("phone");
  add("tablet");
  const auto id = push("o-1");
  const auto held = claim_push();
  const auto made = begin(held);
  BOOST_REQUIRE(storage::note_targets(
      db, {{storage::as_held(held), {told(made.facts.targets[0], says(verdict::accepted))}}}));
  let_expire(held);
  reap_all(resend_at_once);
  BOOST_TEST(now_of(id) == "in_doubt");
  BOOST_TEST(targets() == "phone provider_accepted, tablet in_doubt");
  const auto again = claim_push();
  const auto second = begin(again);
  BOOST_TEST(names(second.facts.targets) == "tablet");
  settle(again, second, says(verdict::accepted));
  BOOST_TEST(now_of(id) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(a_late_acceptance_is_kept_and_not_sent_again_P4, pushes) {
  add("phone");
  add("tablet");
  push("o-1");
  const auto late = claim_push();
  const auto made = begin(late);
  let_expire(late);
  reap_all(resend_at_once);
  const auto newer = claim_push();
  BOOST_REQUIRE(storage::note_targets(
      db, {{storage::as_held(late), {told(made.facts.targets[0], says(verdict::accepted))}}}));
  BOOST_TEST(names(begin(newer).facts.targets) == "tablet");
  // A refusal under the old token says nothing about the newer attempt.
  BOOST_REQUIRE(storage::note_targets(
      db, {{storage::as_held(late), {told(made.facts.targets[1], says(verdict::refused, "no"))}}}));
  BOOST_TEST(targets() == "phone provider_accepted, tablet leased");
}

BOOST_FIXTURE_TEST_CASE(a_person_speaks_of_the_devices_in_doubt, pushes) {
  add("phone");
  const auto id = push("o-1");
  auto held = claim_push();
  begin(held);
  let_expire(held);
  reap_all({doubt_rule::hold, {}, 0});
  BOOST_TEST(value("select due_at from arauto.target") == "infinity");
  const delivery_key which{id, channel::push};
  BOOST_REQUIRE(storage::resolve(db, acme, which, storage::resolution::not_accepted, 25));
  BOOST_TEST(now_of(id) == "retry_wait");
  held = claim_push();
  begin(held);
  let_expire(held);
  reap_all({doubt_rule::hold, {}, 0});
  BOOST_REQUIRE(storage::resolve(db, acme, which, storage::resolution::accepted, 25));
  BOOST_TEST(now_of(id) == "provider_accepted");
  BOOST_TEST(targets() == "phone provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(a_push_that_reached_somebody_does_not_expire_I19, pushes) {
  add("phone");
  add("watch", apns);
  const auto id = push("o-1", "2999-01-01T00:00:00Z");
  auto held = claim_push();
  settle(held, begin(held), says(verdict::accepted));
  BOOST_TEST(now_of(id) == "retry_wait");
  sql("update arauto.event set expires_at = now()");
  held = claim_push();
  BOOST_TEST(to_string(begin(held, apns).now) == "provider_accepted");
  BOOST_TEST(now_of(id) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(a_replay_addresses_whom_it_did_not_reach_and_who_came_since, pushes) {
  add("phone");
  const auto id = push("o-1");
  auto held = claim_push();
  settle(held, begin(held), says(verdict::refused, "too_large"));
  BOOST_TEST(now_of(id) == "permanent_failure");
  add("tablet");
  BOOST_REQUIRE(storage::replay(db, acme, {id, channel::push}, false));
  held = claim_push();
  BOOST_TEST(names(begin(held).facts.targets) == "phone tablet");
}

BOOST_FIXTURE_TEST_CASE(a_registration_waits_for_a_permit_that_read_the_token_S36, pushes) {
  const user_id ben{"ben"};
  add_user(acme, ben, "ben@example.com");
  add("phone");
  push("o-1");
  const auto held = claim_push();
  pqxx::connection other{url};
  pqxx::work permitting{other};
  permitting.exec("update arauto.delivery set attempts = 1, begun_at = now()");
  permitting.exec(std::string{"prepare targets(text) as "} + storage::sql::permit_targets.text);
  const auto asked = R"([{"n":0,"tenant_id":"acme","event_id":")" + held.key.event.text
                     + R"(","channel":"push","lease_token":1,"provider":"fcm","app":""}])";
  permitting.exec("execute targets(" + permitting.quote(asked) + ")");
  auto impatient = settings();
  impatient.lock_timeout = std::chrono::milliseconds{200};
  storage::session second{impatient};
  BOOST_TEST(
      to_string(
          storage::put_device(second, acme, ben, {"phone", fcm, "token-phone", {}, {}}).error())
      == to_string(errc::busy));
  permitting.commit();
  BOOST_TEST(
      to_string(
          storage::put_device(second, acme, ben, {"phone", fcm, "token-phone", {}, {}}).error())
      == to_string(errc::none));
}

BOOST_FIXTURE_TEST_CASE(an_erased_persons_devices_keep_no_words_of_providers, pushes) {
  add("phone");
  push("o-1");
  const auto held = claim_push();
  auto said = says(verdict::refused, "too_large");
  said.detail = "Dear Ana";
  settle(held, begin(held), said);
  BOOST_TEST(value("select detail from arauto.target") == "Dear Ana");
  BOOST_REQUIRE(storage::erase_recipient(db, acme, ana));
  BOOST_TEST(value("select count(*) from arauto.target where detail is not null") == "0");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
