// P4: only the holder writes. P3: nothing is lost. I8, I9, I10 of the invariants; field cases
// S12-S14.
#include <boost/test/unit_test.hpp>

#include "tests/support/ledger.hpp"

namespace arauto::tests {

namespace {

const plan again_at_once{state::retry_wait, std::chrono::milliseconds{0}, false, "busy"};
const plan doubt_held{state::in_doubt, {}, true, "lost_answer"};

} // namespace

BOOST_AUTO_TEST_SUITE(leases)

BOOST_FIXTURE_TEST_CASE(a_claim_takes_what_is_due_and_no_more_than_the_room, ledger) {
  for (const auto* operation : {"o-1", "o-2", "o-3"})
    accepted_event(operation);
  BOOST_TEST(claim(2).size() == 2);
  BOOST_TEST(claim(2).size() == 1);
  BOOST_TEST(claim(2).empty());
}

BOOST_FIXTURE_TEST_CASE(urgent_work_passes_the_tenants_own_normal_backlog, ledger) {
  accepted_event("normal");
  auto urgent = order_shipped("urgent");
  urgent.urgency = priority::urgent;
  accept_one(urgent);
  BOOST_TEST(claim_one().key.event.text == urgent.id.text);
}

BOOST_FIXTURE_TEST_CASE(a_claim_serves_several_tenants_at_once_each_by_its_room, ledger) {
  const tenant_id zeta{"zeta"};
  add_tenant(zeta);
  add_user(zeta, ana, "ana@zeta.example");
  for (const auto* operation : {"o-1", "o-2", "o-3"}) {
    accepted_event(operation);
    auto other = order_shipped(operation);
    other.tenant = zeta;
    accept_one(other);
  }
  auto leases = storage::claim(db, {{acme, channel::email, 2, 1}, {zeta, channel::email, 1, 1}},
                               node, lease_length);
  BOOST_REQUIRE(leases);
  const auto of = [&](const tenant_id& tenant) {
    return std::count_if(leases->begin(), leases->end(),
                         [&](const auto& one) { return one.tenant == tenant; });
  };
  BOOST_TEST(of(acme) == 2);
  BOOST_TEST(of(zeta) == 1);
}

BOOST_FIXTURE_TEST_CASE(a_permit_counts_the_attempt_once_however_often_it_is_asked, ledger) {
  accepted_event("o-1");
  const auto held = claim_one();
  const auto first = permit_one(held);
  BOOST_TEST(first.still_ours);
  BOOST_TEST(to_string(first.now) == "leased");
  BOOST_TEST(first.facts.attempts == 1);
  BOOST_TEST(first.facts.to_address == "ana@example.com");
  BOOST_TEST(first.facts.variables == R"({"order":"A-1"})");
  BOOST_REQUIRE_EQUAL(first.facts.parts.size(), 2);
  BOOST_TEST(permit_one(held).facts.attempts
             == 1); // the answer of the first COMMIT may have been lost
}

BOOST_FIXTURE_TEST_CASE(an_accepted_attempt_is_final_and_leaves_a_trail, ledger) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  const auto answer = settle_accepted(held);
  BOOST_TEST(answer.ours);
  BOOST_TEST(to_string(state_of(id)) == "provider_accepted");
  const auto seen = storage::find_event(db, acme, id);
  BOOST_REQUIRE(seen);
  BOOST_REQUIRE_EQUAL(seen->deliveries.at(0).trail.size(), 1);
  BOOST_TEST(seen->deliveries[0].trail[0].outcome == "accepted");
  BOOST_TEST(seen->deliveries[0].trail[0].number == 1);
}

BOOST_FIXTURE_TEST_CASE(settling_again_after_a_lost_commit_answer_is_not_stale, ledger) {
  accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  settle_accepted(held);
  const auto again = settle_accepted(held);
  BOOST_TEST(again.ours);
  BOOST_TEST(value("select count(*) from arauto.attempt") == "1");
}

BOOST_FIXTURE_TEST_CASE(a_late_worker_cannot_overwrite_a_newer_lease_S14, ledger) {
  const auto id = accepted_event("o-1");
  const auto late = claim_one();
  permit_one(late);
  let_expire(late);
  reap_all(resend_at_once);
  const auto newer = claim_one();
  BOOST_TEST(newer.held.number == late.held.number + 1);

  BOOST_TEST(
      !settle_one(late, verdict::refused, {state::permanent_failure, {}, false, "refused"}).ours);
  BOOST_TEST(to_string(state_of(id)) == "leased");
  BOOST_TEST(!permit_one(late).still_ours);
  BOOST_TEST(storage::renew(db, {storage::as_held(late)}, lease_length)->size() == 1);
  BOOST_TEST(permit_one(newer).still_ours);
}

BOOST_FIXTURE_TEST_CASE(a_late_acceptance_is_kept_and_settles_what_stands_in_doubt, ledger) {
  const auto id = accepted_event("o-1");
  const auto late = claim_one();
  permit_one(late);
  let_expire(late);
  reap_all();
  BOOST_TEST(to_string(state_of(id)) == "in_doubt");
  BOOST_TEST(!settle_accepted(late).ours);
  BOOST_TEST(to_string(state_of(id)) == "provider_accepted");
  const auto seen = storage::find_event(db, acme, id);
  BOOST_TEST(seen->deliveries.at(0).doubtful);
  BOOST_TEST(seen->deliveries[0].trail.at(0).outcome == "accepted");
}

BOOST_FIXTURE_TEST_CASE(a_late_acceptance_seen_by_the_next_permit_spares_the_resend, ledger) {
  const auto id = accepted_event("o-1");
  const auto late = claim_one();
  permit_one(late);
  let_expire(late);
  reap_all(resend_at_once);
  const auto newer = claim_one();
  settle_accepted(late);
  BOOST_TEST(to_string(state_of(id)) == "leased"); // evidence moves nothing under a living lease
  BOOST_TEST(to_string(permit_one(newer).now) == "provider_accepted");
  BOOST_TEST(to_string(state_of(id)) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(a_lease_that_ran_out_before_its_permit_is_given_back_and_counted, ledger) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  let_expire(held);
  BOOST_TEST(!permit_one(held).still_ours);
  BOOST_REQUIRE_EQUAL(reap_all().size(), 1);
  BOOST_TEST(to_string(state_of(id)) == "pending");
  BOOST_TEST(value("select lost_leases from arauto.delivery") == "1");
  BOOST_TEST(value("select attempts from arauto.delivery") == "0");
}

BOOST_FIXTURE_TEST_CASE(poison_that_kills_its_worker_is_claimed_alone_and_then_given_up_S12,
                        ledger) {
  const auto id = accepted_event("poison");
  for (int death = 1; death <= 2; ++death) {
    let_expire(claim_one());
    reap_all();
  }
  accepted_event("good");
  BOOST_TEST(claim(100).size() == 1); // the good one only
  for (int death = 3; death <= 5; ++death) {
    const auto suspect = storage::claim_suspect(db, {channel::email}, node, lease_length);
    BOOST_REQUIRE(suspect && *suspect);
    BOOST_TEST((*suspect)->key.event.text == id.text);
    let_expire(**suspect);
    reap_all();
  }
  BOOST_TEST(to_string(state_of(id)) == "permanent_failure");
  BOOST_TEST(value("select cause from arauto.delivery where event_id = '" + id.text + "'")
             == "worker_lost");
}

BOOST_FIXTURE_TEST_CASE(an_attempt_that_never_began_is_given_back_without_a_trail_P7, ledger) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  storage::settlement back;
  back.key = held.key;
  back.held = held.held;
  back.tenant = held.tenant;
  back.decided = {state::pending, std::chrono::milliseconds{0}, false, "connect_failed"};
  back.attempted = false;
  back.given_back = true;
  back.deferred = true;
  BOOST_TEST(storage::settle(db, {back})->at(0).ours);
  BOOST_TEST(to_string(state_of(id)) == "pending");
  BOOST_TEST(value("select attempts || ' ' || deferrals from arauto.delivery") == "0 1");
  BOOST_TEST(value("select count(*) from arauto.attempt") == "0");
  BOOST_TEST(permit_one(claim_one()).facts.attempts == 1);
}

BOOST_FIXTURE_TEST_CASE(a_renewal_keeps_the_lease_and_names_the_lost_ones, ledger) {
  accepted_event("o-1");
  accepted_event("o-2");
  const auto leases = claim(2);
  let_expire(leases[0]);
  const auto lost =
      storage::renew(db, {storage::as_held(leases[0]), storage::as_held(leases[1])}, lease_length);
  BOOST_REQUIRE(lost);
  BOOST_REQUIRE_EQUAL(lost->size(), 1);
  BOOST_TEST((lost->at(0).key == leases[0].key));
}

BOOST_FIXTURE_TEST_CASE(a_delivery_in_doubt_on_hold_is_never_due, ledger) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  settle_one(held, verdict::unknown, doubt_held);
  BOOST_TEST(to_string(state_of(id)) == "in_doubt");
  BOOST_TEST(claim().empty());
  BOOST_TEST(storage::due_tenants(db, {channel::email})->empty());
}

BOOST_FIXTURE_TEST_CASE(a_retry_is_claimed_again_when_its_time_has_come, ledger) {
  accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  settle_one(held, verdict::refused_for_now, again_at_once);
  BOOST_TEST(storage::due_tenants(db, {channel::email})->size() == 1);
  BOOST_TEST(permit_one(claim_one()).facts.attempts == 2);
}

BOOST_FIXTURE_TEST_CASE(a_bad_address_is_suppressed_for_the_next_event, ledger) {
  accepted_event("o-1");
  const auto held = claim_one();
  const auto facts = permit_one(held).facts;
  storage::settlement bounced;
  bounced.key = held.key;
  bounced.held = held.held;
  bounced.tenant = held.tenant;
  bounced.decided = {state::permanent_failure, {}, false, "bad_address"};
  bounced.what.said = verdict::bad_address;
  bounced.what.code = 550;
  bounced.suppress_digest = facts.to_digest;
  BOOST_TEST(storage::settle(db, {bounced})->at(0).ours);
  const auto next = accepted_event("o-2");
  BOOST_TEST(to_string(permit_one(claim_one()).now) == "suppressed");
  BOOST_TEST(value("select cause from arauto.delivery where event_id = '" + next.text + "'")
             == "address_suppressed");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
