// A tenant's window, lane by lane: what runs, what is asked for, what is offered. P9.
#include <boost/test/unit_test.hpp>

#include "actors/lane.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(the_lane)

BOOST_AUTO_TEST_CASE(a_claim_asks_for_all_free_places_and_reserves_them) {
  lane one{8};
  BOOST_TEST(!one.may_claim()); // nobody said that something waits
  one.hint();
  BOOST_TEST(one.may_claim());
  one.take();
  const auto asked = one.begin_claim();
  BOOST_TEST(asked.deliveries == 7u);
  BOOST_TEST(asked.urgent == 6u);
  BOOST_TEST(one.room() == 0u);
  BOOST_TEST(!one.may_claim()); // one at a time
}

BOOST_AUTO_TEST_CASE(a_claim_that_came_back_full_is_repeated_and_another_is_not) {
  lane one{4};
  one.hint();
  const auto full = one.begin_claim();
  one.end_claim(full, 4, 0);
  BOOST_TEST(one.may_claim());
  const auto part = one.begin_claim();
  one.end_claim(part, 3, 0);
  BOOST_TEST(!one.may_claim());
  BOOST_TEST(one.room() == 4u);
}

BOOST_AUTO_TEST_CASE(urgent_ones_that_filled_their_share_are_asked_for_again) {
  lane one{8};
  one.hint();
  const auto asked = one.begin_claim();
  one.end_claim(asked, 6, 6);
  BOOST_TEST(one.may_claim());
}

BOOST_AUTO_TEST_CASE(a_single_place_is_not_always_the_urgent_ones) {
  lane one{1};
  int for_the_others = 0;
  for (int i = 0; i < 8; ++i) {
    one.hint();
    const auto asked = one.begin_claim();
    if (asked.urgent == 0) ++for_the_others;
    one.end_claim(asked, 0, 0);
  }
  BOOST_TEST(for_the_others == 2);
}

BOOST_AUTO_TEST_CASE(the_answer_to_a_claim_that_was_given_up_frees_nothing_twice) {
  lane one{4};
  one.hint();
  const auto old = one.begin_claim();
  one.give_up_claim();
  BOOST_TEST(one.room() == 4u);
  one.hint();
  const auto now = one.begin_claim();
  one.end_claim(old, 4, 4);
  BOOST_TEST(one.claiming());
  BOOST_TEST(one.is_open(now));
  BOOST_TEST(one.room() == 0u);
}

BOOST_AUTO_TEST_CASE(half_of_the_window_is_offered_while_nothing_waits) {
  lane one{8};
  BOOST_TEST(one.offer() == 4u);
  BOOST_TEST(one.offer() == 0u); // enough is out
  BOOST_TEST(one.room() == 4u);
  one.returned(3);
  BOOST_TEST(one.offer() == 3u);
  one.hint();
  one.returned(4);
  BOOST_TEST(one.offer() == 0u); // a backlog comes first
}

BOOST_AUTO_TEST_CASE(nothing_is_offered_while_the_offer_is_called_back) {
  lane one{8};
  BOOST_REQUIRE(one.offer() == 4u);
  one.begin_withdrawal();
  one.returned(2); // two were used meanwhile
  BOOST_TEST(one.offer() == 0u);
  one.end_withdrawal(2);
  BOOST_TEST(one.offered() == 0u);
  BOOST_TEST(one.room() == 8u);
}

BOOST_AUTO_TEST_CASE(more_than_was_offered_never_comes_back) {
  lane one{8};
  BOOST_REQUIRE(one.offer() == 4u);
  one.returned(9);
  BOOST_TEST(one.room() == 8u);
  one.forget_offers();
  BOOST_TEST(one.room() == 8u);
}

BOOST_AUTO_TEST_CASE(what_runs_is_asked_for_and_is_offered_never_passes_the_window) {
  lane one{4};
  BOOST_TEST(one.take());
  BOOST_TEST(one.offer() == 2u);
  BOOST_TEST(one.take());
  BOOST_TEST(!one.take());
  one.hint();
  BOOST_TEST(one.room() == 0u); // whoever would claim calls the offer back first
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
