// P5: stop is exact. I11, I12; field cases S16, S37.
#include <boost/test/unit_test.hpp>

#include <future>

#include "tests/support/ledger.hpp"

namespace arauto::tests {

namespace {

std::string came_to(const result<std::vector<storage::stop_view>>& stops) {
  BOOST_REQUIRE_MESSAGE(stops, to_string(stops.error()));
  BOOST_REQUIRE_EQUAL(stops->size(), 1);
  return stops->at(0).came_to;
}

const storage::preferences no_mail{{"", {{channel::email, false}}}};

} // namespace

BOOST_AUTO_TEST_SUITE(stopping)

BOOST_FIXTURE_TEST_CASE(cancelling_says_what_came_of_each_state_S16, ledger) {
  const auto waiting = accepted_event("waiting");
  BOOST_TEST(came_to(storage::cancel_event(db, acme, waiting)) == "stopped");
  BOOST_TEST(to_string(state_of(waiting)) == "cancelled");
  BOOST_TEST(came_to(storage::cancel_event(db, acme, waiting))
             == "cancelled"); // again: the same end

  const auto leased = accepted_event("leased");
  const auto held = claim_one();
  BOOST_TEST(came_to(storage::cancel_event(db, acme, leased)) == "stopped");
  BOOST_TEST(!permit_one(held).still_ours);

  const auto sending = accepted_event("sending");
  const auto permitted = claim_one();
  permit_one(permitted);
  BOOST_TEST(came_to(storage::cancel_event(db, acme, sending)) == "in_flight");
  settle_accepted(permitted);
  BOOST_TEST(came_to(storage::cancel_event(db, acme, sending)) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(a_cancelled_attempt_that_fails_is_not_tried_again_S16, ledger) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  BOOST_REQUIRE(storage::cancel_event(db, acme, id));
  settle_one(held, verdict::refused_for_now,
             {state::retry_wait, std::chrono::milliseconds{0}, false, "busy"});
  BOOST_TEST(to_string(state_of(id)) == "cancelled");
  BOOST_TEST(claim().empty());
}

BOOST_FIXTURE_TEST_CASE(a_cancelled_delivery_in_doubt_is_held_and_never_sent_again, ledger) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  settle_one(held, verdict::unknown,
             {state::in_doubt, std::chrono::milliseconds{0}, false, "lost_answer"});
  BOOST_TEST(came_to(storage::cancel_event(db, acme, id)) == "in_doubt");
  BOOST_TEST(claim().empty());
  BOOST_TEST(to_string(state_of(id)) == "in_doubt");
}

BOOST_FIXTURE_TEST_CASE(a_doubt_that_begins_after_the_cancel_is_held_too, ledger) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  BOOST_REQUIRE(storage::cancel_event(db, acme, id));
  let_expire(held);
  reap_all(resend_at_once);
  BOOST_TEST(to_string(state_of(id)) == "in_doubt");
  BOOST_TEST(claim().empty());
}

BOOST_FIXTURE_TEST_CASE(a_stop_on_the_way_to_a_resend_leaves_the_doubt_on_hold_P6, ledger) {
  const auto in_doubt_again = [this](const std::string& operation) {
    const auto id = accepted_event(operation);
    const auto held = claim_one();
    permit_one(held);
    settle_one(held, verdict::unknown,
               {state::in_doubt, std::chrono::milliseconds{0}, false, "lost_answer"});
    return id;
  };
  const auto cancelled = in_doubt_again("o-1");
  auto held = claim_one();
  BOOST_TEST(came_to(storage::cancel_event(db, acme, cancelled)) == "in_doubt");
  BOOST_TEST(to_string(state_of(cancelled)) == "in_doubt");
  BOOST_TEST(!permit_one(held).still_ours);

  const auto returned = in_doubt_again("o-2");
  held = claim_one();
  let_expire(held);
  reap_all();
  BOOST_TEST(to_string(state_of(returned)) == "in_doubt");
  held = claim_one(); // due again at once, as before
  sql("insert into arauto.preference values ('acme', 'ana', 'email', '', false)");
  BOOST_TEST(to_string(permit_one(held).now) == "in_doubt");
  BOOST_TEST(to_string(state_of(returned)) == "in_doubt");
  BOOST_TEST(claim().empty());
}

BOOST_FIXTURE_TEST_CASE(what_a_provider_says_after_an_erasure_is_not_written_down, ledger) {
  accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  BOOST_TEST(came_to(storage::erase_recipient(db, acme, ana)) == "in_flight");
  storage::settlement late;
  late.key = held.key;
  late.held = held.held;
  late.tenant = held.tenant;
  late.decided = {state::permanent_failure, {}, false, "refused"};
  late.what.said = verdict::refused;
  late.what.detail = "550 no ana@example.com here";
  BOOST_REQUIRE(storage::settle(db, {late}));
  BOOST_TEST(value("select coalesce(detail, 'none') from arauto.delivery") == "none");
  BOOST_TEST(value("select coalesce(detail, 'none') from arauto.attempt") == "none");
}

BOOST_FIXTURE_TEST_CASE(unknown_and_foreign_events_cannot_be_cancelled_S06, ledger) {
  const auto id = accepted_event("o-1");
  BOOST_TEST((storage::cancel_event(db, acme, new_event_id()).error() == errc::not_found));
  BOOST_TEST((storage::cancel_event(db, {"zeta"}, id).error() == errc::not_found));
  BOOST_TEST(to_string(state_of(id)) == "pending");
}

BOOST_FIXTURE_TEST_CASE(after_an_opt_out_is_answered_no_permit_is_given_P5, ledger) {
  const auto waiting = accepted_event("o-1");
  BOOST_TEST(came_to(storage::put_preferences(db, acme, ana, no_mail)) == "stopped");
  BOOST_TEST(to_string(state_of(waiting)) == "suppressed");
  // One that slips in between (accepted under the old preference, committed after the sweep) meets
  // the permit.
  BOOST_REQUIRE(storage::put_preferences(db, acme, ana, {}));
  const auto late = accepted_event("o-2");
  const auto held = claim_one();
  sql("insert into arauto.preference values ('acme', 'ana', 'email', '', false)");
  BOOST_TEST(to_string(permit_one(held).now) == "suppressed");
  BOOST_TEST(to_string(state_of(late)) == "suppressed");
}

BOOST_FIXTURE_TEST_CASE(an_opt_out_of_one_type_leaves_the_others, ledger) {
  const auto id = accepted_event("o-1");
  BOOST_REQUIRE(
      storage::put_preferences(db, acme, ana, {{"news", {{channel::email, false}}}})->empty());
  BOOST_TEST(to_string(state_of(id)) == "pending");
  BOOST_TEST(came_to(storage::put_preferences(
                 db, acme, ana,
                 {{"", {{channel::email, true}}}, {"order.shipped", {{channel::email, false}}}}))
             == "stopped");
}

BOOST_FIXTURE_TEST_CASE(a_permit_that_waits_on_the_row_of_a_cancel_finds_it_stopped, ledger) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  pqxx::connection canceller{url};
  pqxx::work cancelling{canceller};
  cancelling.exec("select 1 from arauto.delivery where event_id = '" + id.text + "' for update");
  auto permit = std::async(std::launch::async, [&] {
    storage::session other{settings()};
    return storage::ask_permits(other, {storage::may_begin(storage::as_held(held), {})},
                                lease_length);
  });
  // Committed only once the permit waits for the row.
  while (value("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = "
               "current_database()")
         == "0")
    std::this_thread::yield();
  cancelling.exec("update arauto.delivery set stop_reason = 'cancelled' where event_id = '"
                  + id.text + "'");
  cancelling.commit();
  const auto answered = permit.get();
  BOOST_REQUIRE(answered);
  BOOST_TEST(to_string(answered->at(0).now) == "cancelled");
}

BOOST_FIXTURE_TEST_CASE(an_erased_person_is_forgotten_but_the_operation_is_not, ledger) {
  const auto id = accepted_event("o-1");
  BOOST_TEST(came_to(storage::erase_recipient(db, acme, ana)) == "stopped");
  BOOST_TEST(value("select coalesce(email, '') || coalesce(name, '') from arauto.recipient") == "");
  BOOST_TEST(value("select coalesce(variables::text, 'none') from arauto.event") == "none");
  BOOST_TEST((storage::find_recipient(db, acme, ana).error() == errc::not_found));
  const auto again = accept_one(order_shipped("o-1"));
  BOOST_TEST((again.verdict == acceptance::replayed));
  BOOST_TEST(again.id.text == id.text);
  BOOST_TEST((accept_one(order_shipped("o-2")).verdict == acceptance::unknown_user));
  BOOST_TEST((storage::erase_recipient(db, acme, ana).error() == errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(an_expired_notification_is_never_sent_and_says_so, ledger) {
  const auto id = accept_one(order_shipped("o-1")).id;
  const auto held = claim_one();
  sql("update arauto.event set expires_at = clock_timestamp()"); // its time passes while it waits
  BOOST_TEST(to_string(permit_one(held).now) == "expired");
  BOOST_TEST(to_string(state_of(id)) == "expired");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
