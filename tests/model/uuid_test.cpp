#include "storage/model/uuid.hpp"

#include <chrono>
#include <string>

#include <boost/test/unit_test.hpp>

using arauto::is_uuid;
using arauto::uuid_v7;

namespace {

std::chrono::system_clock::time_point at_ms(std::int64_t ms) {
  return std::chrono::system_clock::time_point{std::chrono::milliseconds{ms}};
}

const std::array<std::uint8_t, 10> no_chance{};

} // namespace

BOOST_AUTO_TEST_SUITE(uuid)

// RFC 9562, appendix A.6.
BOOST_AUTO_TEST_CASE(the_example_of_the_rfc_comes_out) {
  const std::array<std::uint8_t, 10> chance{0x0C, 0xC3, 0x18, 0xC4, 0xDC,
                                            0x0C, 0x0C, 0x07, 0x39, 0x8F};
  BOOST_TEST(uuid_v7(at_ms(0x017F22E279B0), chance) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

BOOST_AUTO_TEST_CASE(version_and_variant_stand_whatever_chance_brings) {
  std::array<std::uint8_t, 10> all_ones{};
  all_ones.fill(0xFF);
  BOOST_TEST(uuid_v7(at_ms(0), no_chance) == "00000000-0000-7000-8000-000000000000");
  BOOST_TEST(uuid_v7(at_ms(0), all_ones) == "00000000-0000-7fff-bfff-ffffffffffff");
}

BOOST_AUTO_TEST_CASE(a_later_millisecond_sorts_later_as_text) {
  std::array<std::uint8_t, 10> most_chance{};
  most_chance.fill(0xFF);
  for (const std::int64_t ms : {0LL, 255LL, 65'535LL, 4'294'967'295LL, 1'700'000'000'000LL})
    BOOST_TEST(uuid_v7(at_ms(ms), most_chance) < uuid_v7(at_ms(ms + 1), no_chance));
}

BOOST_AUTO_TEST_CASE(only_the_canonical_form_is_an_id) {
  const std::string good = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f";
  BOOST_TEST(is_uuid(good));
  BOOST_TEST(is_uuid(uuid_v7(at_ms(1), no_chance)));
  for (const auto* bad :
       {"", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
        "017f22e279b07cc398c4dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f ",
        "017f22e2-79b0-7cc3-98c4adc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c0-398f"})
    BOOST_TEST(!is_uuid(bad), bad);
}

BOOST_AUTO_TEST_SUITE_END()
