// What a busy node asks all the time finds its rows by key: the cost of one item does not grow with
// what is leased, due or finished (design 4; measured: 220 us a permit by the index of leased rows,
// 60 us by key).
#include <sstream>

#include <boost/test/unit_test.hpp>

#include "storage/sql/statements.hpp"
#include "tests/support/ledger.hpp"

namespace arauto::tests {

namespace {

// As a keeper asks it: its role, its settings, a plan for any parameters.
std::string plan_of(const std::string& url, const char* statement, const std::string& given) {
  pqxx::connection as_keeper{url};
  pqxx::work work{as_keeper};
  work.exec(std::string{storage::own_settings});
  work.exec("set local role arauto_worker; set local arauto.tenants = '{acme}'");
  work.exec(std::string{"prepare asked as "} + statement);
  std::string plan;
  for (const auto& row : work.exec("explain (costs off) execute asked(" + given + ")"))
    plan += std::string{row[0].c_str()} + "\n";
  return plan;
}

} // namespace

BOOST_AUTO_TEST_SUITE(plans)

BOOST_FIXTURE_TEST_CASE(permits_renewals_and_settlements_find_their_rows_by_key, ledger) {
  sql("analyze");
  for (const auto& [statement, given] : {std::pair{storage::sql::permit.text, "'[]', '1000'"},
                                         std::pair{storage::sql::renew.text, "'[]', '1000'"},
                                         std::pair{storage::sql::settle.text, "'[]'"}}) {
    const auto plan = plan_of(url, statement, given);
    BOOST_TEST(plan.find("delivery_pkey on delivery") != std::string::npos, plan);
    for (const auto* index : {"delivery_leased", "delivery_due", "delivery_live_of_user"})
      BOOST_TEST(plan.find(index) == std::string::npos, plan);
  }
}

// Measured: 2 ms a push after 10,000 of them, by plans made while there were none; 0.1 ms so.
BOOST_FIXTURE_TEST_CASE(a_permit_made_before_the_first_push_walks_no_targets_later, ledger) {
  pqxx::connection owner{url};
  pqxx::nontransaction{owner}.exec("vacuum analyze arauto.target");
  const auto plan = plan_of(url, storage::sql::permit_targets.text, "'[]'");
  std::istringstream in{plan};
  int by_key = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.find("on target") == std::string::npos || line.find("Insert") != std::string::npos
        || line.find("Update") != std::string::npos)
      continue;
    std::string cond;
    std::getline(in, cond);
    BOOST_TEST((cond.find("Index Cond") != std::string::npos
                || cond.find("TID Cond") != std::string::npos),
               plan);
    ++by_key;
  }
  BOOST_TEST(by_key == 3);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
