// Times as clients write them: RFC 3339 with an offset, kept as UTC microseconds.
#include <boost/test/unit_test.hpp>

#include "http/time.hpp"

using namespace arauto::http;

namespace {

std::string kept(std::string_view written) {
  const auto when = read_time(written);
  return when ? written_time(*when) : "refused";
}

} // namespace

BOOST_AUTO_TEST_SUITE(time_at_the_door)

BOOST_AUTO_TEST_CASE(equal_instants_look_equal_however_they_were_written) {
  const auto wanted = "2026-03-01T08:15:00.000000Z";
  for (const auto* written :
       {"2026-03-01T08:15:00Z", "2026-03-01T08:15:00.0Z", "2026-03-01t08:15:00z",
        "2026-03-01T05:15:00-03:00", "2026-03-01T13:45:00+05:30", "2026-02-28T23:30:00-08:45",
        "2026-03-01T08:15:00.000000999Z", "2026-03-01T08:15:00-00:00"})
    BOOST_TEST(kept(written) == wanted, written);
}

BOOST_AUTO_TEST_CASE(fractions_are_kept_to_the_microsecond) {
  BOOST_TEST(kept("2026-03-01T08:15:00.1Z") == "2026-03-01T08:15:00.100000Z");
  BOOST_TEST(kept("2026-03-01T08:15:00.000001Z") == "2026-03-01T08:15:00.000001Z");
  BOOST_TEST(kept("2026-03-01T08:15:59.9999999Z") == "2026-03-01T08:15:59.999999Z");
}

BOOST_AUTO_TEST_CASE(the_calendar_is_the_gregorian_one) {
  BOOST_TEST(kept("2024-02-29T00:00:00Z") == "2024-02-29T00:00:00.000000Z");
  BOOST_TEST(kept("2000-02-29T12:00:00Z") == "2000-02-29T12:00:00.000000Z");
  BOOST_TEST(kept("2100-02-29T12:00:00Z") == "refused");
  BOOST_TEST(kept("2023-02-29T12:00:00Z") == "refused");
  BOOST_TEST(kept("2026-04-31T12:00:00Z") == "refused");
  BOOST_TEST(kept("1970-01-01T00:00:00Z") == "1970-01-01T00:00:00.000000Z");
  BOOST_TEST(kept("9999-12-31T23:59:59Z") == "9999-12-31T23:59:59.000000Z");
  BOOST_TEST(read_time("2026-03-01T00:00:00Z")->count() == 1'772'323'200'000'000);
}

BOOST_AUTO_TEST_CASE(every_day_of_four_centuries_is_read_and_written_alike) {
  for (std::int64_t day = 0; day < 146'097; ++day) {
    const unix_time noon{(day * 86'400 + 43'200) * 1'000'000};
    const auto read = read_time(written_time(noon));
    BOOST_REQUIRE(read.has_value());
    BOOST_REQUIRE(read->count() == noon.count());
  }
}

BOOST_AUTO_TEST_CASE(a_leap_second_is_the_second_after_it_and_only_where_utc_has_one) {
  BOOST_TEST(kept("2016-12-31T23:59:60Z") == "2017-01-01T00:00:00.000000Z");
  BOOST_TEST(kept("2016-12-31T20:59:60-03:00") == "2017-01-01T00:00:00.000000Z");
  BOOST_TEST(kept("2016-12-31T23:58:60Z") == "refused");
  BOOST_TEST(kept("2016-12-31T23:59:61Z") == "refused");
}

BOOST_AUTO_TEST_CASE(what_is_not_a_whole_rfc_3339_time_is_refused) {
  for (const auto* written : {"",
                              "2026-03-01",
                              "2026-03-01T08:15:00",
                              "2026-03-01 08:15:00Z",
                              "2026-03-01T08:15Z",
                              "2026-03-01T24:00:00Z",
                              "2026-03-01T08:60:00Z",
                              "2026-3-1T08:15:00Z",
                              "20260301T081500Z",
                              "2026-03-01T08:15:00.Z",
                              "2026-03-01T08:15:00+0300",
                              "2026-03-01T08:15:00+24:00",
                              "2026-03-01T08:15:00+03:60",
                              "2026-03-01T08:15:00Z ",
                              " 2026-03-01T08:15:00Z",
                              "2026-00-01T08:15:00Z",
                              "2026-13-01T08:15:00Z",
                              "2026-03-00T08:15:00Z",
                              "tomorrow",
                              "1969-12-31T23:59:59Z",
                              "1970-01-01T00:00:00+00:01",
                              "9999-12-31T23:59:59-00:01",
                              "10000-01-01T00:00:00Z",
                              "2026-03-01T08:15:00.0000000000000000000000000000Z"})
    BOOST_TEST(kept(written) == "refused", written);
}

BOOST_AUTO_TEST_SUITE_END()
