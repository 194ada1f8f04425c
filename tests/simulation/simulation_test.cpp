// F26: the product's own actors in worlds made of seeds. A seed that once failed stands here by
// name.
#include <boost/test/unit_test.hpp>

#include "tests/simulation/world.hpp"

namespace arauto::tests {

namespace {

using simulation::run_world;

std::string found(const simulation::world_report& report) {
  return "seed " + std::to_string(report.seed) + ": " + report.violation;
}

void holds(std::uint64_t seed) {
  const auto report = run_world(seed);
  BOOST_TEST(report.violation.empty(), found(report));
}

} // namespace

BOOST_AUTO_TEST_SUITE(simulated)

BOOST_AUTO_TEST_CASE(what_was_accepted_comes_to_its_end_whatever_fails_P3_P4_P5_P7) {
  std::map<std::string, std::uint64_t> faults;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    const auto report = run_world(seed);
    BOOST_REQUIRE_MESSAGE(report.violation.empty(), found(report));
    for (const auto& [kind, times] : report.faults)
      faults[kind] += times;
  }
  for (const auto* kind :
       {"node_killed", "node_frozen", "commit_lost", "commit_lost_done", "call_away",
        "database_outage", "provider_outage", "opt_out", "cancel", "erasure", "keeper_crash",
        "courier_crash", "delivery_crash", "dispatcher_crash", "orderly_stop", "hint_lost",
        "replay", "resolve", "row_held"})
    BOOST_TEST(faults[kind] > 0u, kind);
}

BOOST_AUTO_TEST_CASE(the_same_seed_is_the_same_world) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto first = run_world(seed);
    const auto second = run_world(seed);
    BOOST_TEST(first.hash == second.hash, "seed " + std::to_string(seed));
    BOOST_TEST(first.steps == second.steps);
  }
}

BOOST_AUTO_TEST_CASE(a_store_that_believes_every_token_is_found_and_its_seed_replays) {
  simulation::world_options planted;
  planted.without_fence = true;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    const auto report = run_world(seed, planted);
    if (report.violation.empty()) continue;
    BOOST_TEST_MESSAGE(found(report));
    const auto again = run_world(seed, planted);
    BOOST_TEST(again.violation == report.violation);
    BOOST_TEST(again.hash == report.hash);
    return holds(seed);
  }
  BOOST_ERROR("nobody noticed");
}

// -- regressions ------------------------------------------------------------------------

// A dispatcher retired while a hint made it claim, and its keeper died with the claim: it waited
// for ever, and its node could not end.
BOOST_AUTO_TEST_CASE(a_retired_dispatcher_ends_whatever_it_waits_for) {
  holds(17'208);
}

// A claim failed while a hint came: the dispatcher waited for work for ever, and offered no room.
BOOST_AUTO_TEST_CASE(a_hint_beside_a_failed_claim_is_followed) {
  for (const std::uint64_t seed : {136, 432, 447, 653, 752, 866, 904})
    holds(seed);
}

// A courier was lost while the port still waited to begin; the delivery called it doubt at once,
// and the content left when the lease had been given up.
BOOST_AUTO_TEST_CASE(a_lost_courier_is_doubt_only_when_nothing_can_leave_any_more) {
  for (const std::uint64_t seed : {3231, 5278, 6210, 7379, 7427, 9803})
    holds(seed);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
