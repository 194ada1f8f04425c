// A stop, a loss or a late answer meets a doubt that stands, or an acceptance on record: neither is
// buried. P4, P5, P6.
#include <boost/test/unit_test.hpp>

#include "storage/dead_letters.hpp"
#include "tests/support/ledger.hpp"

namespace arauto::tests {

namespace {

using namespace std::chrono_literals;

const plan busy{state::retry_wait, 0ms, false, "busy"};
const plan refused_for_good{state::permanent_failure, {}, false, "refused"};

struct standing_doubts : ledger {
  // In doubt after its first attempt, and due to be sent again.
  storage::lease in_doubt(const std::string& operation) {
    accepted_event(operation);
    const auto held = claim_one();
    permit_one(held);
    settle_one(held, verdict::unknown, {state::in_doubt, 0ms, false, "lost_answer"});
    return held;
  }
  storage::lease permitted() {
    const auto held = claim_one();
    BOOST_REQUIRE(permit_one(held).still_ours);
    return held;
  }
  // Nothing reached the provider under this lease.
  void settle_without_attempt(const storage::lease& held, const plan& decided, bool lost) {
    storage::settlement one;
    one.key = held.key;
    one.held = held.held;
    one.tenant = held.tenant;
    one.decided = decided;
    one.attempted = false;
    one.given_back = !lost;
    one.lost = lost;
    BOOST_REQUIRE(storage::settle(db, {one}));
  }
  std::string of(const storage::lease& held, const std::string& columns) {
    return value("select concat_ws(' ', " + columns + ") from arauto.delivery where event_id = '"
                 + held.key.event.text + "'");
  }
  std::string cancel(const storage::lease& held) {
    const auto stops = storage::cancel_event(db, acme, held.key.event);
    BOOST_REQUIRE(stops);
    BOOST_REQUIRE_EQUAL(stops->size(), 1);
    return stops->at(0).came_to;
  }
  std::string opt_out() {
    const auto stops = storage::put_preferences(db, acme, ana, {{"", {{channel::email, false}}}});
    BOOST_REQUIRE(stops);
    BOOST_REQUIRE_EQUAL(stops->size(), 1);
    BOOST_REQUIRE(storage::put_preferences(db, acme, ana, {}));
    return stops->at(0).came_to;
  }
  void not_accepted(const storage::lease& held) {
    BOOST_REQUIRE(
        storage::resolve(db, acme, held.key, storage::resolution::not_accepted, 25)->changed);
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(stopping_doubt)

BOOST_FIXTURE_TEST_CASE(a_stopped_resend_that_is_refused_for_now_leaves_the_doubt_on_hold_P6,
                        standing_doubts) {
  const auto first = in_doubt("o-1");
  const auto resend = permitted();
  BOOST_TEST(cancel(first) == "in_flight");
  settle_one(resend, verdict::refused_for_now, busy);
  BOOST_TEST(of(first, "state, next_attempt_at, stop_reason") == "in_doubt infinity cancelled");
  settle_accepted(first);
  BOOST_TEST(to_string(state_of(first.key.event)) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(a_stop_holds_what_waits_while_its_doubt_stands_P6, standing_doubts) {
  for (const bool by_cancel : {true, false}) {
    const auto first = in_doubt(by_cancel ? "o-1" : "o-2");
    settle_one(permitted(), verdict::refused_for_now, busy);
    BOOST_REQUIRE_EQUAL(of(first, "state, doubted_at is not null"), "retry_wait t");
    BOOST_TEST((by_cancel ? cancel(first) : opt_out()) == "in_doubt");
    BOOST_TEST(of(first, "state, next_attempt_at, settled_at") == "in_doubt infinity");
    settle_accepted(first);
    BOOST_TEST(to_string(state_of(first.key.event)) == "provider_accepted");
  }
}

BOOST_FIXTURE_TEST_CASE(a_stop_holds_a_replayed_delivery_whose_doubt_stands_P6, standing_doubts) {
  const auto first = in_doubt("o-1");
  settle_one(permitted(), verdict::refused, refused_for_good);
  BOOST_REQUIRE(storage::replay(db, acme, first.key, true));
  BOOST_REQUIRE_EQUAL(of(first, "state"), "pending");
  BOOST_TEST(cancel(first) == "in_doubt");
  BOOST_TEST(of(first, "state, next_attempt_at") == "in_doubt infinity");
}

BOOST_FIXTURE_TEST_CASE(a_stop_finds_an_acceptance_on_record_P4, standing_doubts) {
  for (const bool by_cancel : {true, false}) {
    const std::string name = by_cancel ? "cancel" : "opt-out";
    const auto leased = in_doubt(name + " of a leased resend");
    claim_one();
    settle_accepted(leased);
    BOOST_REQUIRE_EQUAL(of(leased, "state, accepted_at is not null"), "leased t");
    BOOST_TEST((by_cancel ? cancel(leased) : opt_out()) == "provider_accepted");
    BOOST_TEST(of(leased, "state, cause, lease_owner, settled_at is null")
               == "provider_accepted f");

    const auto waiting = in_doubt(name + " of one that waits");
    not_accepted(waiting);
    settle_accepted(waiting);
    BOOST_REQUIRE_EQUAL(of(waiting, "state, accepted_at is not null"), "retry_wait t");
    BOOST_TEST((by_cancel ? cancel(waiting) : opt_out()) == "provider_accepted");
    BOOST_TEST(of(waiting, "state, cause, settled_at is null") == "provider_accepted f");
  }
}

// The plan of the late answer names the state that somebody else moved it to.
BOOST_FIXTURE_TEST_CASE(a_late_answer_is_kept_whatever_state_the_delivery_was_given_P4,
                        standing_doubts) {
  const auto given_up = in_doubt("o-1");
  sql("update arauto.delivery set gives_up_at = now(), next_attempt_at = 'infinity'");
  BOOST_REQUIRE_EQUAL(storage::give_up_waits(db, 100)->size(), 1);
  BOOST_TEST(!settle_one(given_up, verdict::refused, refused_for_good).ours);
  BOOST_TEST(value("select outcome || ' ' || late from arauto.attempt") == "refused true");
  BOOST_TEST(of(given_up, "state, cause") == "permanent_failure unconfirmed");

  const auto resolved = in_doubt("o-2");
  BOOST_REQUIRE(
      storage::resolve(db, acme, resolved.key, storage::resolution::accepted, 25)->changed);
  storage::settlement late;
  late.key = resolved.key;
  late.held = resolved.held;
  late.tenant = resolved.tenant;
  late.decided = {state::provider_accepted, {}, false, {}};
  late.what.said = verdict::accepted;
  late.what.provider_ref = "queued as 7";
  BOOST_REQUIRE(storage::settle(db, {late}));
  BOOST_TEST(of(resolved, "state, provider_ref") == "provider_accepted queued as 7");
  BOOST_TEST(value("select outcome || ' ' || late from arauto.attempt where event_id = '"
                   + resolved.key.event.text + "'")
             == "accepted true");
}

// As the reaper judges it.
BOOST_FIXTURE_TEST_CASE(a_lost_worker_never_ends_a_doubt_that_stands_P6, standing_doubts) {
  const auto first = in_doubt("o-1");
  const auto resend = claim_one();
  settle_without_attempt(resend, {state::permanent_failure, 0ms, false, "worker_crashed"}, true);
  BOOST_TEST(of(first, "state, next_attempt_at, cause") == "in_doubt infinity worker_crashed");
}

BOOST_FIXTURE_TEST_CASE(a_lease_without_an_attempt_does_not_make_an_attempt_old_P6,
                        standing_doubts) {
  const auto first = in_doubt("o-1");
  settle_without_attempt(permitted(), {state::pending, 0ms, false, "closing"}, false);
  BOOST_REQUIRE_EQUAL(of(first, "state, lease_token"), "in_doubt 2");
  settle_one(first, verdict::refused, refused_for_good);
  BOOST_TEST(of(first, "state, cause, doubted_at") == "permanent_failure refused");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
