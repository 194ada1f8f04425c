// One push delivery to several devices: what the whole comes to (promises P3, P6, P7).
#include "storage/model/targets.hpp"

#include <boost/test/unit_test.hpp>

using namespace arauto;
using namespace std::chrono_literals;

namespace {

const doubt_policy resends{doubt_rule::resend, 5min, 1};

target_result said(verdict what, state next, std::chrono::milliseconds delay = 0ms,
                   const std::string& cause = "why", bool hold = false) {
  target_result one;
  one.what.said = what;
  one.what.cause = cause;
  one.decided = {next, delay, hold, cause};
  return one;
}

const auto took_it = said(verdict::accepted, state::provider_accepted, 0ms, "");
const auto busy = said(verdict::refused_for_now, state::retry_wait, 10s, "provider_busy");
const auto ended = said(verdict::bad_address, state::permanent_failure, 0ms, "unregistered");
const auto too_big = said(verdict::refused, state::permanent_failure, 0ms, "too_large");
const auto lost = said(verdict::unknown, state::in_doubt, 5min, "lost_answer");
const auto held = said(verdict::unknown, state::in_doubt, 0ms, "lost_answer", true);
const auto paused = said(verdict::account_refused, state::pending, 1s, "credential_refused");

plan whole(const std::vector<target_result>& addressed, const other_targets& others = {},
           const doubt_policy& doubt = resends) {
  return plan_of_targets(addressed, others, doubt);
}

std::string word(const plan& p) {
  return std::string{spelled(p.next)} + (p.cause.empty() ? "" : " ") + p.cause
         + (p.hold ? " held" : " " + std::to_string(p.delay.count()));
}

} // namespace

BOOST_AUTO_TEST_SUITE(targets)

BOOST_AUTO_TEST_CASE(one_device_is_as_one_delivery) {
  BOOST_TEST(word(whole({took_it})) == "provider_accepted 0");
  BOOST_TEST(word(whole({busy})) == "retry_wait provider_busy 10000");
  BOOST_TEST(word(whole({ended})) == "permanent_failure unregistered 0");
  BOOST_TEST(word(whole({lost})) == "in_doubt lost_answer 300000");
  BOOST_TEST(word(whole({held})) == "in_doubt lost_answer held");
  BOOST_TEST(word(whole({paused})) == "pending credential_refused 1000");
}

BOOST_AUTO_TEST_CASE(who_took_it_does_not_end_what_others_wait_for) {
  BOOST_TEST(word(whole({took_it, busy})) == "retry_wait provider_busy 10000");
  BOOST_TEST(word(whole({took_it, lost, busy})) == "in_doubt lost_answer 10000");
  BOOST_TEST(word(whole({took_it}, {0, 2, 0, 0})) == "retry_wait other_devices 0");
  BOOST_TEST(word(whole({took_it}, {0, 0, 1, -1})) == "in_doubt other_devices held");
}

BOOST_AUTO_TEST_CASE(when_nothing_is_left_to_do_one_acceptance_is_enough) {
  BOOST_TEST(word(whole({took_it, ended, too_big})) == "provider_accepted 0");
  BOOST_TEST(word(whole({ended}, {1, 0, 0, -1})) == "provider_accepted 0");
  BOOST_TEST(word(whole({ended, too_big})) == "permanent_failure too_large 0");
}

BOOST_AUTO_TEST_CASE(nobody_to_address_is_told_by_the_others) {
  BOOST_TEST(word(whole({})) == "permanent_failure no_device 0");
  BOOST_TEST(word(whole({}, {1, 0, 0, -1})) == "provider_accepted 0");
  BOOST_TEST(word(whole({}, {1, 1, 0, 700})) == "pending other_devices 700");
}

BOOST_AUTO_TEST_CASE(a_paused_account_leaves_the_attempt_unbegun_only_when_nobody_was_reached) {
  BOOST_TEST(word(whole({paused}, {0, 1, 0, 0})) == "pending credential_refused 0");
  BOOST_TEST(word(whole({paused, took_it})) == "retry_wait credential_refused 1000");
  BOOST_TEST(spelled(outcome_of_targets({paused, took_it}).said) == "accepted");
  BOOST_TEST(spelled(outcome_of_targets({paused}).said) == "account_refused");
}

BOOST_AUTO_TEST_CASE(a_doubt_that_waits_for_evidence_gives_up_once_nothing_else_is_due) {
  const doubt_policy waits{doubt_rule::wait, 9min, 0};
  BOOST_TEST(whole({held}, {}, waits).gives_up_after.count() == (9min / 1ms));
  BOOST_TEST(whole({held, busy}, {}, waits).gives_up_after.count() == 0);
  BOOST_TEST(whole({took_it}, {0, 0, 1, -1}, waits).gives_up_after.count() == (9min / 1ms));
}

BOOST_AUTO_TEST_CASE(the_trail_tells_the_gravest_answer) {
  BOOST_TEST(spelled(outcome_of_targets({took_it, lost, busy}).said) == "unknown");
  BOOST_TEST(spelled(outcome_of_targets({took_it, busy}).said) == "refused_for_now");
  BOOST_TEST(spelled(outcome_of_targets({ended, took_it}).said) == "accepted");
  BOOST_TEST(spelled(outcome_of_targets({ended, too_big}).said) == "refused");
}

BOOST_AUTO_TEST_CASE(a_token_registered_after_its_end_lives) { // S31, APNs 410
  auto gone = ended.what;
  BOOST_TEST(end_of_token(gone, 1'000) == "unregistered");
  gone.ended_at_ms = 2'000;
  BOOST_TEST(end_of_token(gone, 1'000) == "unregistered");
  BOOST_TEST(end_of_token(gone, 2'001) == "");
  BOOST_TEST(end_of_token(busy.what, 1'000) == "");
}

BOOST_AUTO_TEST_SUITE_END()
