// Applications may come through a pooler in transaction mode; the service may not (S18).
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

#include "storage/schema.hpp"
#include "tests/support/pgbouncer.hpp"
#include "tests/support/shop.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(pooler)

BOOST_FIXTURE_TEST_CASE(notify_works_through_transaction_pooling_S18, shop) {
  const pgbouncer between{{role.url}, 3};
  const auto url = between.through(role.url);
  std::atomic<int> failed{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < 8; ++client)
    clients.emplace_back([&, client] {
      try {
        pqxx::connection connection{url};
        for (int n = 0; n < 25; ++n) {
          pqxx::work work{connection};
          notify(work, {"o-" + std::to_string(client) + "-" + std::to_string(n)});
          if (n % 2 == 0)
            work.commit();
          else
            work.abort();
        }
      } catch (const std::exception&) {
        ++failed;
      }
    });
  for (auto& client : clients)
    client.join();
  BOOST_TEST(failed == 0);
  BOOST_TEST(value("select count(*) || ' ' || count(distinct client_key) from arauto.event")
             == "104 104");
  BOOST_TEST(value("select count(*) from arauto.delivery where state = 'pending'") == "104");
}

BOOST_FIXTURE_TEST_CASE(the_service_refuses_a_pooler_and_says_why_S18, own_database) {
  const pgbouncer between{{url}, 3};
  auto through = settings();
  through.url = between.through(url);
  storage::session db{through};
  const auto judged = storage::check_server(db);
  BOOST_TEST((judged.error() == errc::unsafe_server));
  BOOST_TEST(judged.why().text.find("a pooler stands before PostgreSQL") != std::string::npos);
  storage::session direct{settings()};
  BOOST_TEST((storage::check_server(direct).error() == errc::none));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
