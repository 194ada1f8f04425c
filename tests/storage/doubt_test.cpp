// P6: doubt has a name. What follows when nobody knows, who may end it, and who cannot.
#include <boost/test/unit_test.hpp>

#include "tests/support/ledger.hpp"

namespace arauto::tests {

namespace {

using namespace std::chrono_literals;

const doubt_policy wait_an_hour{doubt_rule::wait, 1h, 1};
const doubt_policy hold{doubt_rule::hold, 1h, 1};
const plan refused_for_good{state::permanent_failure, {}, false, "refused"};
const plan refused_for_an_hour{state::retry_wait, 1h, false, "greylisted"};

struct doubts : ledger {
  // A worker that got its permit and never came back.
  storage::lease gone(const std::string& operation) {
    accepted_event(operation);
    const auto held = claim_one();
    permit_one(held);
    let_expire(held);
    return held;
  }

  // One in doubt, and its lease.
  storage::lease in_doubt(const std::string& operation, const doubt_policy& of_channel = hold) {
    const auto held = gone(operation);
    reap_all(of_channel);
    BOOST_REQUIRE_EQUAL(to_string(state_of(held.key.event)), "in_doubt");
    return held;
  }

  std::string of(const storage::lease& held, const std::string& columns) {
    return value("select " + columns + " from arauto.delivery where event_id = '"
                 + held.key.event.text + "'");
  }

  // State, and when it is sent again or given up, in minutes from now.
  std::string standing(const event_id& id) {
    return value("select concat_ws(' ', state, 'doubts', doubts,"
                 " case when next_attempt_at = 'infinity' then 'never' else"
                 " round(extract(epoch from next_attempt_at - clock_timestamp()) / 60)::text end,"
                 " round(extract(epoch from gives_up_at - clock_timestamp()) / 60)) "
                 "from arauto.delivery where event_id = '"
                 + id.text + "'");
  }

  void age(const storage::lease& held, int doubts, int attempts) {
    sql("update arauto.delivery set doubts = " + std::to_string(doubts) + ", attempts = "
        + std::to_string(attempts) + " where event_id = '" + held.key.event.text + "'");
  }

  storage::resolved say(const storage::lease& held, storage::resolution as) {
    auto answer = storage::resolve(db, acme, held.key, as, retry_policy{}.attempts_max);
    BOOST_REQUIRE_MESSAGE(answer, to_string(answer.error()) + " " + answer.why().text);
    return *answer;
  }

  void put_policy(const doubt_policy& policy) {
    auto words = storage::find_template(db, acme, "order.shipped", channel::email, "");
    BOOST_REQUIRE(words);
    words->doubt = {true, policy};
    BOOST_REQUIRE(storage::put_template(db, acme, *words));
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(in_doubt)

// The decision stands in model/plan.cpp for the living and in reap.sql for the dead.
BOOST_FIXTURE_TEST_CASE(a_doubt_is_judged_alike_whether_the_worker_lives_or_not_P6, doubts) {
  const retry_policy retry;
  for (const auto rule : all_doubt_rules)
    for (const int before : {0, 1, 2, 3})
      for (const int attempts : {4, retry.attempts_max - 1, retry.attempts_max}) {
        const doubt_policy policy{rule, 1h, 2};
        const auto name =
            std::string{spelled(rule)} + std::to_string(before) + " " + std::to_string(attempts);
        const auto dead = gone("dead " + name);
        age(dead, before, attempts);
        BOOST_TEST(reap_all(policy).size() == 1);

        const auto alive_id = accepted_event("alive " + name);
        const auto alive = claim_one();
        permit_one(alive);
        age(alive, before, attempts);
        outcome unknown;
        unknown.cause = "lost_answer";
        settle_one(alive, verdict::unknown,
                   plan_after(unknown, attempts, 0, before, retry, policy, 0.5));
        BOOST_TEST(standing(dead.key.event) == standing(alive_id), name);
        BOOST_TEST(of(dead, "doubts") == std::to_string(before + 1));
      }
}

BOOST_FIXTURE_TEST_CASE(each_rule_says_until_when_a_doubt_stands_P6, doubts) {
  BOOST_TEST(standing(in_doubt("o-1", {doubt_rule::resend, 5min, 1}).key.event)
             == "in_doubt doubts 1 5");
  BOOST_TEST(standing(in_doubt("o-2", wait_an_hour).key.event) == "in_doubt doubts 1 never 60");
  BOOST_TEST(standing(in_doubt("o-3", hold).key.event) == "in_doubt doubts 1 never");
}

BOOST_FIXTURE_TEST_CASE(the_template_decides_where_it_says_something_P6, doubts) {
  put_policy({doubt_rule::wait, 2h, 1});
  BOOST_TEST(standing(in_doubt("o-1", hold).key.event) == "in_doubt doubts 1 never 120");
  accepted_event("o-2");
  const auto facts = permit_one(claim_one()).facts;
  BOOST_TEST(facts.doubt.given);
  BOOST_TEST((facts.doubt.or_else(hold).rule == doubt_rule::wait));
  BOOST_TEST((facts.doubt.or_else(hold).after == 2h));

  const auto stands = storage::find_template(db, acme, "order.shipped", channel::email, "");
  BOOST_TEST(stands->doubt.given);
  BOOST_TEST((stands->doubt.policy.after == 2h));
}

BOOST_FIXTURE_TEST_CASE(a_resend_keeps_its_count_and_is_held_when_it_is_spent_P6, doubts) {
  const doubt_policy twice{doubt_rule::resend, 0ms, 2};
  const auto id = in_doubt("o-1", twice).key.event;
  for (int resend = 1; resend <= 2; ++resend) {
    const auto held = claim_one();
    BOOST_TEST(permit_one(held).facts.doubts == resend);
    let_expire(held);
    reap_all(twice);
  }
  BOOST_TEST(standing(id) == "in_doubt doubts 3 never");
  BOOST_TEST(claim().empty());
}

BOOST_FIXTURE_TEST_CASE(a_wait_ends_as_unconfirmed_when_its_time_is_over_and_not_before_P6,
                        doubts) {
  const auto over = in_doubt("o-1", wait_an_hour);
  const auto young = in_doubt("o-2", wait_an_hour);
  const auto stopped = in_doubt("o-3", wait_an_hour);
  const auto held = in_doubt("o-4", hold);
  BOOST_REQUIRE(storage::cancel_event(db, acme, stopped.key.event));
  sql("update arauto.delivery set gives_up_at = now() where event_id in ('" + over.key.event.text
      + "', '" + stopped.key.event.text + "')");
  const auto ended = storage::give_up_waits(db, 100);
  BOOST_REQUIRE(ended);
  BOOST_REQUIRE_EQUAL(ended->size(), 1);
  BOOST_TEST(ended->at(0).key.event.text == over.key.event.text);
  BOOST_TEST(of(over, "state || ' ' || cause || ' ' || doubtful")
             == "permanent_failure unconfirmed true");
  for (const auto& one : {young, stopped, held})
    BOOST_TEST(to_string(state_of(one.key.event)) == "in_doubt");
}

BOOST_FIXTURE_TEST_CASE(evidence_settles_a_doubt_under_every_rule_P6, doubts) {
  for (const auto& policy : {doubt_policy{doubt_rule::resend, 5min, 1}, wait_an_hour, hold}) {
    const auto held = in_doubt(std::string{"o-"} + std::string{spelled(policy.rule)}, policy);
    settle_accepted(held);
    BOOST_TEST(of(held, "state || coalesce(gives_up_at::text, ' no wait')")
               == "provider_accepted no wait");
  }
}

BOOST_FIXTURE_TEST_CASE(a_late_refusal_of_the_newest_attempt_ends_the_doubt_P6, doubts) {
  const auto refused = in_doubt("o-1");
  BOOST_TEST(!settle_one(refused, verdict::refused, refused_for_good).ours);
  BOOST_TEST(of(refused, "state || ' ' || cause || coalesce(doubted_at::text, '') || doubtful")
             == "permanent_failure refusedtrue");
  BOOST_TEST(value("select outcome || ' ' || late from arauto.attempt") == "refused true");

  const auto later = in_doubt("o-2", wait_an_hour);
  settle_one(later, verdict::refused_for_now, refused_for_an_hour);
  BOOST_TEST(standing(later.key.event) == "retry_wait doubts 1 60");
  BOOST_TEST(of(later, "cause") == "greylisted");
  settle_one(later, verdict::refused_for_now, refused_for_an_hour); // again: its COMMIT was lost
  BOOST_TEST(standing(later.key.event) == "retry_wait doubts 1 60");
}

BOOST_FIXTURE_TEST_CASE(a_late_bad_address_ends_the_doubt_and_is_suppressed_P6, doubts) {
  accepted_event("o-1");
  const auto held = claim_one();
  storage::settlement bounced;
  bounced.suppress_digest = permit_one(held).facts.to_digest;
  let_expire(held);
  reap_all(hold);
  bounced.key = held.key;
  bounced.held = held.held;
  bounced.tenant = held.tenant;
  bounced.decided = {state::permanent_failure, {}, false, "bad_address"};
  bounced.what.said = verdict::bad_address;
  BOOST_REQUIRE(storage::settle(db, {bounced}));
  BOOST_TEST(of(held, "state || ' ' || cause") == "permanent_failure bad_address");
  BOOST_TEST(value("select count(*) from arauto.suppression") == "1");
}

BOOST_FIXTURE_TEST_CASE(a_late_refusal_of_an_older_attempt_is_evidence_and_no_more_P4_P6, doubts) {
  const auto older = in_doubt("o-1", resend_at_once);
  const auto newer = claim_one();
  permit_one(newer);
  let_expire(newer);
  reap_all(hold);
  BOOST_TEST(!settle_one(older, verdict::refused, refused_for_good).ours);
  BOOST_TEST(standing(older.key.event) == "in_doubt doubts 2 never");
  BOOST_TEST(value("select string_agg(outcome, ' ' order by lease_token) from arauto.attempt")
             == "refused unknown");
  // The newest one ends it, but the attempt before it stays doubtful.
  settle_one(newer, verdict::refused_for_now, refused_for_an_hour);
  BOOST_TEST(of(newer, "state || ' ' || (doubted_at is not null)") == "retry_wait true");
}

BOOST_FIXTURE_TEST_CASE(a_late_refusal_does_not_move_what_a_stop_holds_P5_P6, doubts) {
  const auto held = in_doubt("o-1");
  BOOST_REQUIRE(storage::cancel_event(db, acme, held.key.event));
  settle_one(held, verdict::refused_for_now, refused_for_an_hour);
  BOOST_TEST(standing(held.key.event) == "in_doubt doubts 1 never");
  BOOST_TEST(value("select outcome from arauto.attempt") == "refused_for_now");
  settle_accepted(held); // it cannot be: one attempt has one answer
  BOOST_TEST(value("select outcome from arauto.attempt") == "refused_for_now");
}

BOOST_FIXTURE_TEST_CASE(a_person_says_it_was_accepted_P6, doubts) {
  const auto held = in_doubt("o-1", wait_an_hour);
  const auto first = say(held, storage::resolution::accepted);
  BOOST_TEST(first.changed);
  BOOST_TEST(to_string(first.now) == "provider_accepted");
  BOOST_TEST(of(held, "state || ' ' || doubtful || ' ' || resolved_as")
             == "provider_accepted true accepted");
  const auto again = say(held, storage::resolution::accepted);
  BOOST_TEST(again.taken);
  BOOST_TEST(!again.changed);
  const auto other = say(held, storage::resolution::not_accepted);
  BOOST_TEST(!other.taken);
  BOOST_TEST(to_string(other.now) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(a_person_says_it_was_not_accepted_and_it_is_tried_again_at_once_P6,
                        doubts) {
  const auto held = in_doubt("o-1");
  BOOST_TEST(to_string(say(held, storage::resolution::not_accepted).now) == "retry_wait");
  const auto newer = claim_one();
  BOOST_TEST(permit_one(newer).facts.attempts == 2);
  BOOST_TEST(say(held, storage::resolution::not_accepted).taken); // the first answer was lost
  BOOST_TEST(to_string(state_of(held.key.event)) == "leased");
  let_expire(newer);
  reap_all(hold);
  BOOST_TEST(say(held, storage::resolution::not_accepted).changed); // a new doubt, a new word
}

BOOST_FIXTURE_TEST_CASE(not_accepted_ends_what_may_not_be_tried_again_P5_P7, doubts) {
  const auto stopped = in_doubt("o-1");
  BOOST_REQUIRE(storage::cancel_event(db, acme, stopped.key.event));
  say(stopped, storage::resolution::not_accepted);
  BOOST_TEST(of(stopped, "state || ' ' || cause") == "permanent_failure cancelled");
  const auto spent = in_doubt("o-2");
  age(spent, 1, retry_policy{}.attempts_max);
  say(spent, storage::resolution::not_accepted);
  BOOST_TEST(of(spent, "state || ' ' || cause") == "permanent_failure attempts_exhausted");
  BOOST_TEST(claim().empty());
}

// Without this a person would be asked about the same doubt again and again.
BOOST_FIXTURE_TEST_CASE(a_doubt_a_person_ended_is_not_put_back_by_a_prohibition_P6, doubts) {
  const auto unwanted = in_doubt("o-1");
  say(unwanted, storage::resolution::not_accepted);
  auto held = claim_one();
  sql("insert into arauto.preference values ('acme', 'ana', 'email', '', false)");
  BOOST_TEST(to_string(permit_one(held).now) == "suppressed");
  sql("delete from arauto.preference");

  const auto lost = in_doubt("o-2");
  say(lost, storage::resolution::not_accepted);
  let_expire(claim_one());
  reap_all();
  BOOST_TEST(to_string(state_of(lost.key.event)) == "pending");
  BOOST_TEST(of(lost, "doubtful") == "t");
}

BOOST_FIXTURE_TEST_CASE(only_the_tenants_own_delivery_in_doubt_can_be_resolved_S06, doubts) {
  const auto held = in_doubt("o-1");
  const auto asked = [&](const tenant_id& tenant, const delivery_key& key) {
    return storage::resolve(db, tenant, key, storage::resolution::accepted, 25).error();
  };
  BOOST_TEST((asked({"zeta"}, held.key) == errc::not_found));
  BOOST_TEST((asked(acme, {new_event_id(), channel::email}) == errc::not_found));
  BOOST_TEST((asked(acme, {held.key.event, channel::push}) == errc::not_found));
  BOOST_TEST(to_string(state_of(held.key.event)) == "in_doubt");
  accepted_event("o-2");
  BOOST_TEST(!say(claim_one(), storage::resolution::not_accepted).taken);
}

BOOST_FIXTURE_TEST_CASE(the_view_and_the_count_name_every_doubt_and_what_it_waits_for_P6, doubts) {
  in_doubt("o-1", {doubt_rule::resend, 5min, 1});
  in_doubt("o-2", wait_an_hour);
  const auto stopped = in_doubt("o-3", wait_an_hour);
  in_doubt("o-4", hold);
  settle_accepted(in_doubt("o-5", hold));
  BOOST_REQUIRE(storage::cancel_event(db, acme, stopped.key.event));
  BOOST_TEST(value("select string_agg(concat_ws(' ', waits_for, resend_at > since, gives_up_at > "
                   "since, stop_reason, type, user_id), ', ' order by event_id) from "
                   "arauto.in_doubt")
             == "resend t order.shipped ana, evidence t order.shipped ana, "
                "person cancelled order.shipped ana, person order.shipped ana");
  const auto all = storage::count_in_doubt(db, 100);
  BOOST_REQUIRE(all);
  BOOST_TEST(all->deliveries == 4);
  BOOST_TEST(all->held == 2);
  BOOST_TEST(storage::count_in_doubt(db, 3)->deliveries == 3);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
