// Does the time of a refusal tell a good prefix from an unknown one, or how much of a secret is
// right (reliability 4.1)? A measure for a quiet machine, so it runs only when it is asked for:
//   build/tests/http_test --run_test=key_timing --log_level=message
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "http/credentials.hpp"
#include "storage/pool.hpp"
#include "tests/support/ledger.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;

BOOST_FIXTURE_TEST_CASE(key_timing, ledger, *boost::unit_test::disabled()) {
  constexpr int samples = 100'000;
  const auto key = http::make_key(acme);
  BOOST_REQUIRE(
      storage::create_key(db, {acme, key.prefix, key.digest, scopes::all(), {}, {}}, a_test));
  storage::pool sessions{settings(), 2};
  http_settings door;
  door.key_trust = 1h; // all from memory: the database's times are not ours
  http::credentials desk{sessions, door};
  const auto other = [](char c) { return c == 'a' ? 'b' : 'a'; };
  std::array<std::string, 3> shown = {key.whole_text, key.whole_text, key.whole_text};
  shown[0][21] = other(shown[0][21]);       // the secret's first letter
  shown[1].back() = other(shown[1].back()); // its last
  shown[2][10] = other(shown[2][10]);       // a prefix that is none
  std::array<std::vector<double>, 3> took;
  for (auto& each : shown) {
    each = "Bearer " + each;
    desk.asker_of(each);
  }
  for (int i = 0; i < samples; ++i)
    for (std::size_t which = 0; which < shown.size(); ++which) {
      const auto begun = std::chrono::steady_clock::now();
      const auto said = desk.asker_of(shown[which]);
      const auto ended = std::chrono::steady_clock::now();
      took[which].push_back(std::chrono::duration<double, std::nano>(ended - begun).count());
      if (!std::holds_alternative<http::problem>(said)) BOOST_FAIL("let in");
    }
  std::array<double, 3> median{};
  for (std::size_t which = 0; which < took.size(); ++which) {
    auto& all = took[which];
    std::sort(all.begin(), all.end());
    median[which] = all[all.size() / 2];
    BOOST_TEST_MESSAGE("median " << median[which] << " ns, p99 " << all[all.size() * 99 / 100]);
  }
  BOOST_TEST(std::abs(median[0] - median[1]) < 0.05 * median[0]);
  BOOST_TEST(std::abs(median[0] - median[2]) < 0.25 * median[0]);
}
