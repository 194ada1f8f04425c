// When an account is left alone (P7: waiting for it costs no attempt).
#include "storage/model/breaker.hpp"

#include <boost/test/unit_test.hpp>

using namespace arauto;
using namespace std::chrono_literals;

namespace {

const breaker::time_point noon{1'000'000s};

outcome said(verdict what) {
  outcome one;
  one.said = what;
  return one;
}

} // namespace

BOOST_AUTO_TEST_SUITE(breakers)

BOOST_AUTO_TEST_CASE(three_failures_in_a_row_pause_an_account_and_one_probe_decides) {
  breaker account;
  account.heard(said(verdict::not_begun), noon, 0);
  account.heard(said(verdict::accepted), noon, 0);
  account.heard(said(verdict::not_begun), noon, 0);
  account.heard(said(verdict::not_begun), noon, 0);
  BOOST_TEST(account.allowed(noon, 8) == 8);
  account.heard(said(verdict::not_begun), noon, 0);
  BOOST_TEST(account.allowed(noon, 8) == 0);
  BOOST_TEST(account.allowed(noon + 1s, 8) == 1);
  account.heard(said(verdict::accepted), noon + 1s, 0);
  BOOST_TEST(account.allowed(noon + 1s, 8) == 8);
}

BOOST_AUTO_TEST_CASE(one_refusal_of_the_account_is_enough) {
  breaker account;
  account.heard(said(verdict::account_refused), noon, 0);
  BOOST_TEST(account.paused());
}

BOOST_AUTO_TEST_CASE(a_wish_for_the_whole_account_is_kept_never_early_and_never_for_years) {
  breaker account;
  auto slow = said(verdict::refused_for_now);
  slow.slows_account = true;
  slow.retry_after = 90s;
  account.heard(slow, noon, 0);
  account.heard(said(verdict::accepted), noon + 1s, 0); // one that was open
  BOOST_TEST(account.allowed(noon + 90s - 1ms, 8) == 0);
  BOOST_TEST(account.allowed(noon + 90s, 8) == 8);
  slow.retry_after = 24h * 365;
  account.heard(slow, noon, 0);
  BOOST_TEST(account.allowed(noon + 24h, 8) == 8);
}

BOOST_AUTO_TEST_CASE(an_endpoint_of_its_own_pauses_nobody_else) {
  breaker account;
  auto away = said(verdict::not_begun);
  away.only_this_target = true;
  for (int i = 0; i < 10; ++i)
    account.heard(away, noon, 0);
  BOOST_TEST(account.allowed(noon, 8) == 8);
}

BOOST_AUTO_TEST_SUITE_END()
