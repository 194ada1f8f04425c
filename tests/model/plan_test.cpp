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

plan after(const outcome& what, int attempts, int deferrals = 0, int doubts = 0) {
  return plan_after(what, attempts, deferrals, doubts, {}, {}, 0.0);
}

plan in_doubt(const doubt_policy& policy, int attempts, int doubts) {
  return plan_after(said(verdict::unknown), attempts, 0, doubts, {}, policy, 0.0);
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
      next = plan_after(said(verdict::refused_for_now), calls, 0, 0, policy, {}, 0.0).next;
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

// P6
BOOST_AUTO_TEST_CASE(a_doubt_is_resent_as_often_as_its_policy_says_and_then_held) {
  for (const int resends : {1, 2, 5})
    for (int doubts = 0; doubts <= resends; ++doubts) {
      const doubt_policy policy{doubt_rule::resend, 2min, resends};
      const auto decided = in_doubt(policy, 1 + doubts, doubts);
      BOOST_TEST((decided.next == state::in_doubt));
      BOOST_TEST(decided.hold == (doubts == resends));
      BOOST_TEST((decided.delay == (decided.hold ? 0ms : 2min)));
      BOOST_TEST(decided.gives_up_after.count() == 0);
    }
}

// P6, P7: a resend is an attempt, and the budget bounds it too.
BOOST_AUTO_TEST_CASE(a_doubt_is_held_at_once_when_no_attempt_is_left) {
  BOOST_TEST(!after(said(verdict::unknown), 24).hold);
  BOOST_TEST(after(said(verdict::unknown), 25).hold);
}

// P6
BOOST_AUTO_TEST_CASE(a_doubt_that_waits_for_evidence_is_never_resent_and_ends_at_its_time) {
  for (const int doubts : {0, 3}) {
    const auto decided = in_doubt({doubt_rule::wait, 1h, 1}, 1, doubts);
    BOOST_TEST((decided.next == state::in_doubt));
    BOOST_TEST(decided.hold);
    BOOST_TEST((decided.gives_up_after == 1h));
  }
}

// P6
BOOST_AUTO_TEST_CASE(a_doubt_on_hold_has_neither_a_next_attempt_nor_an_end) {
  const auto decided = in_doubt({doubt_rule::hold, 1h, 1}, 1, 0);
  BOOST_TEST((decided.next == state::in_doubt));
  BOOST_TEST(decided.hold);
  BOOST_TEST(decided.gives_up_after.count() == 0);
}

BOOST_AUTO_TEST_CASE(every_doubt_rule_is_spelled_in_one_way) {
  for (const auto rule : arauto::all_doubt_rules)
    BOOST_TEST((arauto::doubt_rule_spelled(spelled(rule)) == rule));
  BOOST_TEST(!arauto::doubt_rule_spelled("resend_once"));
}

BOOST_AUTO_TEST_CASE(every_plan_is_a_move_a_leased_delivery_may_make) {
  for (const auto v :
       {verdict::accepted, verdict::refused_for_now, verdict::refused, verdict::bad_address,
        verdict::not_begun, verdict::account_refused, verdict::unknown})
    for (const int attempts : {1, 24, 25, 26})
      for (const int doubts : {0, 1, 2}) {
        const auto next = after(said(v), attempts, 3, doubts).next;
        BOOST_TEST(may_move(state::leased, next), to_string(next));
      }
}

BOOST_AUTO_TEST_SUITE_END()
