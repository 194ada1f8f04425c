// A copy of the delivery that trusts its lease for ten leases too long: zombies speak to the
// provider, and the simulation must say so.
#include <boost/test/unit_test.hpp>

#include "tests/simulation/world.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_CASE(a_delivery_that_trusts_too_long_is_found_and_its_seed_replays) {
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    const auto report = simulation::run_world(seed);
    // It also keeps its dispatcher for too long (P9); looked for is the send of a zombie.
    if (report.violation.substr(0, 3) != "I10") continue;
    BOOST_TEST_MESSAGE("seed " + std::to_string(seed) + ": " + report.violation);
    const auto again = simulation::run_world(seed);
    BOOST_TEST(again.violation == report.violation);
    BOOST_TEST(again.hash == report.hash);
    return;
  }
  BOOST_ERROR("nobody noticed");
}

} // namespace arauto::tests
