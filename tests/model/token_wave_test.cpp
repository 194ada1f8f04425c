// S31: tokens that end one by one are ended; a wave of them is the account's fault.
#include "storage/model/token_wave.hpp"

#include <boost/test/unit_test.hpp>

using namespace arauto;

namespace {

int heard(token_wave& wave, verdict said, int times) {
  int blamed = 0;
  for (int i = 0; i < times; ++i)
    blamed += wave.heard(said) ? 1 : 0;
  return blamed;
}

} // namespace

BOOST_AUTO_TEST_SUITE(token_waves)

BOOST_AUTO_TEST_CASE(at_most_nine_tokens_are_ended_before_a_wave_is_seen) {
  token_wave wave;
  BOOST_TEST(heard(wave, verdict::bad_address, 9) == 0);
  BOOST_TEST(heard(wave, verdict::bad_address, 30) == 30);
}

BOOST_AUTO_TEST_CASE(a_third_of_dead_tokens_is_no_wave) {
  token_wave wave;
  for (int i = 0; i < 100; ++i) {
    BOOST_TEST(heard(wave, verdict::accepted, 2) == 0);
    BOOST_TEST(heard(wave, verdict::bad_address, 1) == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_wave_begins_in_the_middle_of_good_days_too) {
  token_wave wave;
  heard(wave, verdict::accepted, 1'000);
  BOOST_TEST(heard(wave, verdict::bad_address, 15) == 0);
  BOOST_TEST(heard(wave, verdict::bad_address, 5) == 5);
}

BOOST_AUTO_TEST_CASE(one_acceptance_ends_it) {
  token_wave wave;
  heard(wave, verdict::bad_address, 40);
  heard(wave, verdict::accepted, 1);
  BOOST_TEST(!wave.raging());
  BOOST_TEST(heard(wave, verdict::bad_address, 9) == 0);
}

BOOST_AUTO_TEST_CASE(answers_that_say_nothing_of_a_token_do_not_count) {
  token_wave wave;
  heard(wave, verdict::bad_address, 9);
  BOOST_TEST(heard(wave, verdict::unknown, 50) == 0);
  BOOST_TEST(heard(wave, verdict::refused_for_now, 50) == 0);
  BOOST_TEST(!wave.raging());
  BOOST_TEST(heard(wave, verdict::bad_address, 1) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
