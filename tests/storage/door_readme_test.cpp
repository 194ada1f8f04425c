// What the page of the SQL door says is so.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <set>
#include <sstream>

#include "storage/sql/statements.hpp"
#include "tests/support/shop.hpp"

namespace arauto::tests {

namespace {

std::string readme() {
  std::ifstream file{std::string{ARAUTO_SOURCE_DIR} + "/storage/sql/api/README.md"};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// What stands between ```sql and ```.
std::string example() {
  const auto all = readme();
  const std::string fence = "```sql\n";
  const auto begin = all.find(fence) + fence.size();
  return all.substr(begin, all.find("```", begin) - begin);
}

} // namespace

BOOST_AUTO_TEST_SUITE(sql_door_readme)

BOOST_FIXTURE_TEST_CASE(it_lists_exactly_the_codes_there_are, own_database) {
  const auto codes = [](const std::string& text) {
    std::set<std::string> found;
    for (auto at = text.find("AR0"); at != std::string::npos; at = text.find("AR0", at + 1))
      found.insert(text.substr(at, 5));
    return found;
  };
  std::string sources;
  for (const auto& part : storage::sql::api)
    sources += part.text;
  const auto raised = codes(sources);
  BOOST_TEST(raised.size() == 10);
  BOOST_TEST(codes(readme()) == raised, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(its_example_runs_as_it_stands_there, shop) {
  sql("create table public.orders (id text primary key, customer text); grant insert on "
      "public.orders to "
      + role.name);
  BOOST_REQUIRE(example().find("arauto.notify") != std::string::npos);
  pqxx::connection connection{role.url};
  pqxx::nontransaction{connection}.exec(example());
  BOOST_TEST(value("select o.id || ' ' || e.client_key from public.orders o join arauto.event e on "
                   "e.user_id = o.customer")
             == "A-1 order-A-1-shipped");
  settle_accepted(claim_one());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
