// The service needs no superuser: a login that may make roles migrates, serves and opens the door.
#include <boost/test/unit_test.hpp>

#include "storage/door.hpp"
#include "storage/schema.hpp"
#include "tests/support/shop.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(plain_owner)

struct owned_by_a_plain_login : empty_database {
  plain_role login{url};
  storage::database_settings settings;

  owned_by_a_plain_login() {
    run("alter role " + login.name + " createrole; alter database " + name + " owner to "
        + login.name);
    settings.url = login.url;
  }
  ~owned_by_a_plain_login() { run("alter database " + name + " owner to current_user"); }
  void run(const std::string& text) {
    pqxx::connection connection{url};
    pqxx::nontransaction{connection}.exec(text);
  }
};

BOOST_FIXTURE_TEST_CASE(it_migrates_opens_the_door_and_serves, owned_by_a_plain_login) {
  storage::session db{settings};
  const auto made = storage::migrate(db);
  BOOST_REQUIRE_MESSAGE(made, made.why().text);
  add_tenant(db, acme);
  add_user(db, acme, ana, "ana@example.com");
  const plain_role shop{url};
  bind(db, shop);
  const auto id = notify_once(shop.url, {"o-1"});
  run("update arauto.migration set name = 'another text' where number = 0");
  BOOST_REQUIRE(storage::migrate(db)); // made anew, over what other roles own by now
  BOOST_TEST(notify_once(shop.url, {"o-1"}) == id);
  const auto same = storage::accept(db, {order_shipped("o-1")}, new_node_id(), lease_length);
  BOOST_REQUIRE(same);
  BOOST_TEST(same->at(0).id.text == id);
  pqxx::connection connection{shop.url};
  for (const auto* view : {"waiting", "lag_by_tenant", "in_doubt", "dead_letters"}) {
    pqxx::nontransaction work{connection};
    const auto rows = work.exec(std::string{"select from arauto."} + view);
    BOOST_TEST((rows.size() == 1) == (std::string{view} == "waiting" || view[0] == 'l'), view);
  }
  pqxx::connection owner{login.url};
  BOOST_TEST(pqxx::nontransaction{owner}.exec1("select count(*) from arauto.waiting")[0].as<int>()
             == 1); // an operator sees all
  BOOST_REQUIRE(storage::unbind_door(db, shop.name, a_test));
  BOOST_CHECK_THROW(notify_once(shop.url, {"o-2"}), pqxx::insufficient_privilege);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
