// The reaper forgets: what is old and over goes by itself.
#include <boost/test/unit_test.hpp>

#include "storage/model/chance.hpp"
#include "storage/model/uuid.hpp"
#include "tests/support/running_office.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(forgetting)

BOOST_FIXTURE_TEST_CASE(an_office_forgets_what_is_old_and_over_and_nothing_else, running_office) {
  for (int n = 0; n < 3; ++n) {
    auto asked = order_shipped("old-" + std::to_string(n));
    asked.id = {
        uuid_v7(std::chrono::system_clock::now() - std::chrono::hours{24 * 3}, random_bytes_10())};
    BOOST_REQUIRE((accept_one(asked).verdict == acceptance::created));
  }
  sql("update arauto.event set created_at = now() - interval '3 days'");
  for (int n = 0; n < 2; ++n)
    settle_accepted(claim_one());
  sql("update arauto.delivery set settled_at = now() - interval '3 days'"
      " where settled_at is not null");
  const auto live = value("select event_id from arauto.delivery where state = 'pending'");
  sql("update arauto.delivery set next_attempt_at = 'infinity' where state = 'pending'");
  rules.retention_days = 2;
  open();
  wait_until("the two that are over are gone",
             [&] { return value("select count(*) from arauto.delivery") == "1"; });
  BOOST_TEST(value("select string_agg(id::text, ' ') from arauto.event") == live);
  BOOST_TEST(!collapsed);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
