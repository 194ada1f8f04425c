#include "storage/model/plan.hpp"

#include <chrono>
#include <string>

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;
using arauto::doubt_policy;
using arauto::doubt_rule;
using arauto::least_span;
using arauto::outcome;
using arauto::plan;
using arauto::plan_after;
using arauto::retry_policy;
using arauto::state;
using arauto::verdict;
using arauto::wait_before_next;

namespace {

constexpr double almost_one = 0.999999999;

outcome said(verdict v, std::chrono::milliseconds retry_after = 0ms) {
  outcome what;
  what.said = v;
  what.cause = "the_cause";
  what.retry_after = retry_after;
  return what;
}

plan after(const outcome& what, int attempts, int deferrals = 0, bool doubtful = false) {
  return plan_after(what, attempts, deferrals, doubtful, {}, {}, 0.0);
}

} // namespace

BOOST_AUTO_TEST_SUITE(planning)

// S13: 2^n wraps at 31, 32, 63 and 64; the waits must not.
BOOST_AUTO_TEST_CASE(every_wait_lies_between_half_the_base_and_the_cap) {
  const retry_policy policy;
  for (const int attempt : {1, 2, 9, 10, 30, 31, 32, 44, 45, 62, 63, 64, 1000, 2'147'483'647})
    for (const double chance : {0.0, 0.5, almost_one}) {
      const auto wait = wait_before_next(attempt, policy, chance);
      BOOST_TEST(wait.count() >= policy.base.count() / 2, "attempt " << attempt);
      BOOST_TEST(wait.count() <= policy.cap.count(), "attempt " << attempt);
    }
}

// S13
BOOST_AUTO_TEST_CASE(waits_double_until_the_cap_and_stay_there) {
  const retry_policy policy{10s, 1h, 25};
  BOOST_TEST(wait_before_next(1, policy, 0.0).count() == 5'000);
  BOOST_TEST(wait_before_next(2, policy, 0.0).count() == 10'000);
  BOOST_TEST(wait_before_next(9, policy, 0.0).count() == 1'280'000);
  BOOST_TEST(wait_before_next(10, policy, 0.0).count() == 1'800'000);
  BOOST_TEST(wait_before_next(1000, policy, 0.0).count() == 1'800'000);
  BOOST_TEST(wait_before_next(1, policy, 0.5).count() == 7'500);
}

BOOST_AUTO_TEST_CASE(chance_spreads_the_waits_over_half_of_their_length) {
  const retry_policy policy;
  const auto least = wait_before_next(20, policy, 0.0);
  const auto most = wait_before_next(20, policy, almost_one);
  BOOST_TEST((most - least).count() >= policy.cap.count() / 2 - 1);
}

BOOST_AUTO_TEST_CASE(a_base_above_the_cap_waits_no_longer_than_the_cap) {
  BOOST_TEST(wait_before_next(1, {2h, 1h, 3}, almost_one).count() <= 3'600'000);
}

BOOST_AUTO_TEST_CASE(the_default_budget_survives_an_outage_of_eight_hours) {
  BOOST_TEST((least_span({}) >= 8h));
}

BOOST_AUTO_TEST_CASE(a_budget_of_one_attempt_spans_nothing) {
  BOOST_TEST(least_span({10s, 1h, 1}).count() == 0);
  BOOST_TEST(least_span({10s, 1h, 2}).count() == 5'000);
}

// S13: attempts_max counts calls of the provider, not repeats after the first.
BOOST_AUTO_TEST_CASE(a_provider_that_always_refuses_is_called_exactly_as_often_as_allowed) {
  for (const int most : {1, 2, 3, 25}) {
    const retry_policy policy{10s, 1h, most};
    int calls = 0;
    auto next = state::leased;
    while (next != state::permanent_failure && calls < 100) {
      ++calls;
      next = plan_after(said(verdict::refused_for_now), calls, 0, false, policy, {}, 0.0).next;
    }
    BOOST_TEST(calls == most);
  }
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_final_ends_the_delivery_with_its_cause) {
  BOOST_TEST((after(said(verdict::accepted), 1).next == state::provider_accepted));
  BOOST_TEST((after(said(verdict::refused), 1).next == state::permanent_failure));
  BOOST_TEST((after(said(verdict::bad_address), 1).next == state::permanent_failure));
  BOOST_TEST(after(said(verdict::refused), 1).cause == "the_cause");
  BOOST_TEST(after(said(verdict::refused_for_now), 25).cause == "attempts_exhausted");
  BOOST_TEST(after(said(verdict::refused_for_now), 24).cause == "the_cause");
}

BOOST_AUTO_TEST_CASE(a_refusal_for_now_waits_at_least_as_long_as_the_provider_wishes) {
  BOOST_TEST((after(said(verdict::refused_for_now), 1).next == state::retry_wait));
  BOOST_TEST(after(said(verdict::refused_for_now), 1).delay.count() == 5'000);
  BOOST_TEST(after(said(verdict::refused_for_now, 90s), 1).delay.count() == 90'000);
  BOOST_TEST(after(said(verdict::refused_for_now, 1s), 1).delay.count() == 5'000);
}

// Nothing reached the provider, so no attempt is spent: an outage of ours cannot exhaust a budget.
BOOST_AUTO_TEST_CASE(what_never_began_goes_back_and_waits_by_its_deferrals) {
  for (const auto v : {verdict::not_begun, verdict::account_refused}) {
    const auto first = after(said(v), 25, 0);
    BOOST_TEST((first.next == state::pending));
    BOOST_TEST(first.delay.count() == 5'000);
    BOOST_TEST(after(said(v), 1, 1000).delay.count() == 1'800'000);
  }
}

BOOST_AUTO_TEST_CASE(a_doubt_is_resent_once_and_then_held) {
  const auto first = after(said(verdict::unknown), 1, 0, false);
  BOOST_TEST((first.next == state::in_doubt));
  BOOST_TEST(!first.hold);
  BOOST_TEST((first.delay == doubt_policy{}.resend_after));
  const auto second = after(said(verdict::unknown), 2, 0, true);
  BOOST_TEST((second.next == state::in_doubt));
  BOOST_TEST(second.hold);
}

BOOST_AUTO_TEST_CASE(a_doubt_is_held_at_once_when_no_attempt_is_left_or_the_rule_says_so) {
  BOOST_TEST(after(said(verdict::unknown), 25).hold);
  const doubt_policy strict{doubt_rule::hold, 5min};
  const auto held = plan_after(said(verdict::unknown), 1, 0, false, {}, strict, 0.0);
  BOOST_TEST((held.next == state::in_doubt));
  BOOST_TEST(held.hold);
}

BOOST_AUTO_TEST_CASE(every_plan_is_a_move_a_leased_delivery_may_make) {
  for (const auto v :
       {verdict::accepted, verdict::refused_for_now, verdict::refused, verdict::bad_address,
        verdict::not_begun, verdict::account_refused, verdict::unknown})
    for (const int attempts : {1, 24, 25, 26})
      for (const bool doubtful : {false, true}) {
        const auto next = after(said(v), attempts, 3, doubtful).next;
        BOOST_TEST(may_move(state::leased, next), to_string(next));
      }
}

BOOST_AUTO_TEST_SUITE_END()
