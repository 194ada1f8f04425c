// An application may hold rows of ours in a transaction it never ends: the deliveries of others do
// not stand behind its lock. F9.
#include <boost/test/unit_test.hpp>

#include "tests/support/ledger.hpp"

namespace arauto::tests {

namespace {

struct row_holder : ledger {
  const event_id first = accepted_event("o-1");
  const event_id second = accepted_event("o-2");
  std::vector<storage::lease> leases = claim();
  pqxx::connection foreign{url};
  pqxx::work holding{foreign};

  row_holder() {
    BOOST_REQUIRE_EQUAL(leases.size(), 2u);
    if (leases[0].key.event.text != first.text) std::swap(leases[0], leases[1]);
    holding.exec("select from arauto.delivery where event_id = '" + first.text + "' for update");
  }

  std::vector<storage::permit_question> both() const {
    return {storage::may_begin(storage::as_held(leases[0]), {}),
            storage::may_begin(storage::as_held(leases[1]), {})};
  }

  static storage::settlement accepted(const storage::lease& held) {
    storage::settlement made;
    made.key = held.key;
    made.held = held.held;
    made.tenant = held.tenant;
    made.decided = {state::provider_accepted, {}, false, {}};
    made.what.said = verdict::accepted;
    return made;
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(held_rows)

BOOST_FIXTURE_TEST_CASE(a_held_row_is_left_out_of_permits_and_asked_again, row_holder) {
  auto permits = storage::ask_permits(db, both(), lease_length);
  BOOST_REQUIRE(permits);
  BOOST_TEST(permits->at(0).row_held);
  BOOST_TEST(!permits->at(0).still_ours);
  BOOST_TEST(!permits->at(1).row_held);
  BOOST_TEST(to_string(permits->at(1).now) == "leased");
  BOOST_TEST(permits->at(1).facts.key.event.text == second.text);
  holding.abort();
  permits = storage::ask_permits(db, both(), lease_length);
  BOOST_REQUIRE(permits);
  BOOST_TEST(!permits->at(0).row_held);
  BOOST_TEST(permits->at(0).still_ours);
  BOOST_TEST(permits->at(0).facts.attempts == 1);
}

BOOST_FIXTURE_TEST_CASE(a_held_row_is_left_out_of_settlements_and_asked_again, row_holder) {
  for (const auto& one : leases)
    if (one.key.event.text == second.text) permit_one(one);
  auto answers = storage::settle(db, {accepted(leases[0]), accepted(leases[1])});
  BOOST_REQUIRE(answers);
  BOOST_TEST(answers->at(0).row_held);
  BOOST_TEST(answers->at(1).ours);
  BOOST_TEST(to_string(state_of(first)) == "leased");
  BOOST_TEST(to_string(state_of(second)) == "provider_accepted");
  holding.abort();
  answers = storage::settle(db, {accepted(leases[0])});
  BOOST_REQUIRE(answers);
  BOOST_TEST(!answers->at(0).row_held);
  BOOST_TEST(answers->at(0).ours);
}

BOOST_FIXTURE_TEST_CASE(a_held_row_takes_no_lease_but_its_own_with_it, row_holder) {
  const auto not_renewed =
      storage::renew(db, {storage::as_held(leases[0]), storage::as_held(leases[1])}, lease_length);
  BOOST_REQUIRE(not_renewed);
  BOOST_REQUIRE_EQUAL(not_renewed->size(), 1u);
  BOOST_TEST(not_renewed->at(0).key.event.text == first.text);
}

BOOST_FIXTURE_TEST_CASE(a_session_that_met_a_held_row_does_not_wait_for_the_next, row_holder) {
  BOOST_REQUIRE(storage::ask_permits(db, both(), lease_length));
  const auto begun = std::chrono::steady_clock::now();
  for (int n = 0; n < 5; ++n)
    BOOST_TEST(storage::ask_permits(db, both(), lease_length)->at(0).row_held);
  BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::milliseconds{1'500}));
}

BOOST_FIXTURE_TEST_CASE(a_delivery_that_is_gone_is_not_called_held, row_holder) {
  BOOST_REQUIRE(storage::ask_permits(db, both(), lease_length)); // held rows are left out now
  auto gone = accepted(leases[1]);
  gone.key.event = new_event_id();
  const auto answers = storage::settle(db, {gone});
  BOOST_REQUIRE(answers);
  BOOST_TEST(!answers->at(0).row_held);
  BOOST_TEST(!answers->at(0).ours);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
