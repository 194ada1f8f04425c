// Keys, limits, suppressions, and the record of who changed them (reliability 4.1).
#include <atomic>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "storage/keys.hpp"
#include "storage/model/chance.hpp"
#include "storage/suppressions.hpp"
#include "tests/support/ledger.hpp"

using namespace arauto;
using namespace arauto::tests;

namespace {

storage::key_wanted a_key(const tenant_id& tenant = acme) {
  storage::key_wanted wanted;
  wanted.tenant = tenant;
  wanted.prefix = random_base62(12);
  wanted.digest = sha256_hex(wanted.prefix);
  if (!tenant.text.empty()) wanted.granted = scopes::all();
  return wanted;
}

struct desk : ledger {
  errc made(const storage::key_wanted& wanted) {
    return storage::create_key(db, wanted, a_test).error();
  }
  bool lives(const std::string& prefix) {
    const auto found = storage::find_keys(db, {prefix});
    BOOST_REQUIRE(found);
    return !found->empty();
  }
  std::string sqlstate_of(const std::string& text) {
    try {
      sql(text);
      return "00000";
    } catch (const pqxx::insufficient_privilege&) {
      return "42501"; // libpqxx leaves its sqlstate empty
    } catch (const pqxx::sql_error& e) {
      return e.sqlstate();
    }
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(keys, desk)

BOOST_AUTO_TEST_CASE(two_keys_of_a_tenant_live_and_a_third_is_refused) {
  const auto first = a_key();
  BOOST_TEST((made(first) == errc::none));
  BOOST_TEST((made(a_key()) == errc::none));
  BOOST_TEST((made(a_key()) == errc::already_exists));
  BOOST_REQUIRE(storage::revoke_key(db, first.prefix, a_test));
  BOOST_TEST(!lives(first.prefix));
  BOOST_TEST((made(a_key()) == errc::none));
  BOOST_TEST((made(a_key({"nobody"})) == errc::not_found));
  for (int i = 0; i < 3; ++i) // operators are people: as many as there are
    BOOST_TEST((made(a_key({})) == errc::none));
}

BOOST_AUTO_TEST_CASE(the_database_holds_the_rule_of_two_at_ten_creates_at_once) {
  for (int round = 0; round < 10; ++round) {
    sql("delete from arauto.api_key");
    std::atomic<int> good{0}, refused{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 10; ++i)
      threads.emplace_back([&] {
        storage::session own{settings()};
        const auto made = storage::create_key(own, a_key(), a_test);
        if (made) ++good;
        if (made.error() == errc::already_exists) ++refused;
      });
    for (auto& thread : threads)
      thread.join();
    BOOST_TEST(good == 2);
    BOOST_TEST(refused == 8);
  }
  // The table itself, whoever writes: no third slot, no slot twice.
  const auto by_hand = [&](int slot) {
    return sqlstate_of(
        "insert into arauto.api_key (tenant_id, prefix, digest, scopes, slot) values "
        "('acme', 'x"
        + random_base62(8) + "', sha256('x'), '{send}', " + std::to_string(slot) + ")");
  };
  BOOST_TEST(by_hand(1) == "23505");
  BOOST_TEST(by_hand(2) == "23505");
  BOOST_TEST(by_hand(3) == "23514");
}

BOOST_AUTO_TEST_CASE(a_key_past_its_end_opens_nothing_and_gives_its_place_back) {
  auto ending = a_key();
  ending.expires_at = "2099-01-01T00:00:00Z";
  BOOST_TEST((made(ending) == errc::none));
  BOOST_TEST((made(a_key()) == errc::none));
  BOOST_TEST(lives(ending.prefix));
  sql("update arauto.api_key set created_at = now() - interval '2 hours', expires_at = now() - "
      "interval '1 hour' where prefix = '"
      + ending.prefix + "'");
  BOOST_TEST(!lives(ending.prefix));
  BOOST_TEST((made(a_key()) == errc::none));
  BOOST_TEST((made(a_key()) == errc::already_exists));
  const auto listed = storage::list_keys(db, acme);
  BOOST_REQUIRE(listed);
  BOOST_TEST(listed->at(0).state == "expired");
  BOOST_TEST(listed->at(1).state == "live");
  auto past = a_key({});
  past.expires_at = "2020-01-01T00:00:00Z";
  BOOST_TEST((made(past) == errc::bad_input));
}

BOOST_AUTO_TEST_CASE(a_use_is_written_once_a_minute_and_waits_for_nobody) {
  const auto key = a_key();
  BOOST_TEST((made(key) == errc::none));
  const auto used = [&] { return value("select last_used_at from arauto.api_key"); };
  BOOST_TEST(used() == "");
  BOOST_REQUIRE(storage::keys_used(db, {key.prefix, "unknown"}));
  const auto first = used();
  BOOST_TEST(first != "");
  BOOST_REQUIRE(storage::keys_used(db, {key.prefix}));
  BOOST_TEST(used() == first);
  sql("update arauto.api_key set last_used_at = now() - interval '61 seconds'");
  pqxx::connection other{url};
  pqxx::work holding{other};
  holding.exec("select from arauto.api_key for update");
  BOOST_REQUIRE(storage::keys_used(db, {key.prefix})); // held: left for the next time
  holding.abort();
  BOOST_REQUIRE(storage::keys_used(db, {key.prefix}));
  BOOST_TEST(value("select last_used_at > now() - interval '10 seconds' from arauto.api_key")
             == "t");
}

BOOST_AUTO_TEST_CASE(each_change_leaves_one_row_in_its_own_transaction) {
  sql("set session_replication_role = replica; delete from arauto.audit");
  const auto key = a_key();
  BOOST_TEST((made(key) == errc::none));
  BOOST_REQUIRE(
      storage::revoke_key(db, key.prefix, {"key:op", "01890000-0000-7000-8000-000000000001"}));
  BOOST_REQUIRE(storage::revoke_key(db, key.prefix, a_test)); // changed nothing
  storage::tenant_change stop;
  stop.status = "stopped";
  BOOST_REQUIRE(storage::change_tenant(db, acme, stop, a_test));
  BOOST_REQUIRE(storage::put_limits(db, acme, {2'048, std::nullopt}, a_test));
  sql("insert into arauto.suppression values ('acme', 'email', sha256('ana@example.com'), "
      "'bad_address')");
  BOOST_REQUIRE(storage::lift_suppression(db, acme, channel::email, "ana@example.com", a_test));
  BOOST_TEST((storage::lift_suppression(db, acme, channel::email, "ana@example.com", a_test).error()
              == errc::not_found));
  const auto rows = storage::list_audit(db, acme, 0, 100);
  BOOST_REQUIRE(rows);
  std::string told;
  for (const auto& row : *rows)
    told += row.who + " " + row.action + " " + row.object.substr(0, 14) + "\n";
  BOOST_TEST(
      told
      == "cli:test suppression.lift email:" + sha256_hex("ana@example.com").substr(0, 8)
             + "\ncli:test limits.put \ncli:test tenant.change status=stopped\nkey:op key.revoke "
             + key.prefix + "\ncli:test key.create " + key.prefix + "\n");
  // A change that is undone leaves none: the third key.
  BOOST_TEST((made(a_key()) == errc::none));
  BOOST_TEST((made(a_key()) == errc::none));
  const auto before = value("select count(*) from arauto.audit");
  BOOST_TEST((made(a_key()) == errc::already_exists));
  BOOST_TEST(value("select count(*) from arauto.audit") == before);
}

BOOST_AUTO_TEST_CASE(the_record_is_only_added_to_whoever_asks) {
  BOOST_TEST((made(a_key()) == errc::none));
  for (const auto* change : {"update arauto.audit set who = 'me'", "delete from arauto.audit",
                             "truncate arauto.audit"}) {
    BOOST_TEST(sqlstate_of(change) == "AR012", change);
    for (const auto* role : {"arauto_steward", "arauto_tenant", "arauto_worker"})
      BOOST_TEST(sqlstate_of("set role " + std::string{role} + "; " + change) == "42501", role);
  }
}

BOOST_AUTO_TEST_SUITE_END()
