// The wall beneath the queries, asked of PostgreSQL itself (I17, P8): each role sees and writes the
// rows in its reach and no others; with the policy taken away the same question finds them.
#include <boost/test/unit_test.hpp>

#include "tests/support/ledger.hpp"

using namespace arauto;
using namespace arauto::tests;

namespace {

// Filled below for two tenants; what else there is stands behind row level security too (next
// test).
const std::vector<std::string> tables = {"recipient",   "device",   "preference",
                                         "suppression", "template", "event",
                                         "delivery",    "attempt",  "target"};

struct walled : ledger {
  walled() {
    add_tenant({"globex"});
    add_user({"globex"}, {"gus"}, "gus@example.net");
    for (const auto* tenant : {"acme", "globex"}) {
      const std::string who = tenant == std::string{"acme"} ? "ana" : "gus";
      auto asked = order_shipped("o-1");
      asked.tenant = {tenant};
      asked.user = {who};
      const auto id = accept_one(asked).id.text;
      const std::string t = "'" + std::string{tenant} + "'", u = "'" + who + "'";
      sql("insert into arauto.device (device_id, tenant_id, user_id, provider, app, token, "
          "registered_at) values ('phone', "
          + t + ", " + u
          + ", 'fcm', 'app', 'token', now());"
            "insert into arauto.preference (tenant_id, user_id, channel, allowed) values ("
          + t + ", " + u
          + ", 'email', true);"
            "insert into arauto.suppression values ("
          + t
          + ", 'email', sha256('x'), 'x');"
            "insert into arauto.attempt (event_id, channel, lease_token, tenant_id, number, "
            "ended_at, "
            "outcome) values ('"
          + id + "', 'email', 1, " + t
          + ", 1, now(), 'accepted');"
            "insert into arauto.target (event_id, channel, device_id, tenant_id, provider, app, "
            "state, due_at) values ('"
          + id + "', 'push', 'phone', " + t + ", 'fcm', 'app', 'pending', now())");
    }
  }

  // Rows of globex that a role sees after its opening words. In a transaction that is undone.
  int seen(const std::string& opening, const std::string& table) {
    pqxx::connection own{url};
    pqxx::nontransaction work{own};
    work.exec("begin; " + opening);
    return work.exec("select count(*) from arauto." + table + " where tenant_id = 'globex'")[0][0]
        .as<int>();
  }

  bool may(const std::string& opening, const std::string& statement) {
    pqxx::connection own{url};
    pqxx::nontransaction work{own};
    try {
      work.exec("begin; " + opening);
      work.exec(statement);
      return true;
    } catch (const pqxx::sql_error&) {
      return false;
    }
  }
};

std::string as_tenant(const std::string& tenant) {
  return "set local role arauto_tenant; set local arauto.tenant = '" + tenant + "'";
}

std::string as_worker(const std::string& tenants) {
  return "set local role arauto_worker; set local arauto.tenants = '{" + tenants + "}'";
}

const std::string foreign_insert =
    "insert into arauto.recipient (tenant_id, user_id) values ('globex', 'eve')";
const std::string foreign_suppression =
    "insert into arauto.suppression values ('globex', 'email', sha256('eve'), 'x')";

} // namespace

BOOST_FIXTURE_TEST_SUITE(walls, walled)

BOOST_AUTO_TEST_CASE(every_table_stands_behind_the_wall_but_two_that_know_no_tenant) {
  BOOST_TEST(value("select string_agg(c.relname, ' ' order by c.relname) from pg_class c"
                   " where c.relnamespace = 'arauto'::regnamespace and c.relkind = 'r'"
                   " and not (c.relrowsecurity and c.relforcerowsecurity)")
             == "migration node");
}

BOOST_AUTO_TEST_CASE(a_role_sees_the_tenants_in_its_reach_and_no_others) {
  for (const auto& table : tables) {
    BOOST_TEST(seen(as_tenant("globex"), table) > 0, table);
    BOOST_TEST(seen(as_tenant("acme"), table) == 0, table);
    BOOST_TEST(seen(as_tenant(""), table) == 0, table);
    BOOST_TEST(seen("set local role arauto_tenant", table) == 0, table);
    BOOST_TEST(seen(as_worker("acme,globex"), table) > 0, table);
    BOOST_TEST(seen(as_worker("acme"), table) == 0, table);
    BOOST_TEST(seen(as_worker(""), table) == 0, table);
    BOOST_TEST(seen("set local role arauto_worker", table) == 0, table);
    BOOST_TEST(seen("set local role arauto_steward", table) > 0, table);
    // One role's setting says nothing to another.
    BOOST_TEST(seen("set local role arauto_worker; set local arauto.tenant = 'globex'", table)
               == 0);
    BOOST_TEST(seen("set local role arauto_tenant; set local arauto.tenants = '{globex}'", table)
               == 0);
  }
  BOOST_TEST(!may(as_tenant("acme"), "select from arauto.api_key"));
  BOOST_TEST(!may(as_worker("acme"), "select from arauto.api_key"));
  BOOST_TEST(!may(as_tenant("acme"), "select from arauto.audit"));
}

BOOST_AUTO_TEST_CASE(nobody_writes_a_row_of_another) {
  BOOST_TEST(may(as_tenant("globex"), foreign_insert));
  BOOST_TEST(!may(as_tenant("acme"), foreign_insert));
  BOOST_TEST(may(as_worker("globex"), foreign_suppression));
  BOOST_TEST(!may(as_worker("acme"), foreign_suppression));
  BOOST_TEST(!may(as_tenant("acme"), "update arauto.recipient set tenant_id = 'globex'"));
  pqxx::connection own{url};
  pqxx::nontransaction work{own};
  work.exec("begin; " + as_tenant("acme"));
  BOOST_TEST(work.exec("delete from arauto.preference where tenant_id = 'globex'").affected_rows()
             == 0u);
  work.exec("rollback");
}

BOOST_AUTO_TEST_CASE(nothing_of_a_reach_stays_on_the_connection) {
  pqxx::connection own{url};
  pqxx::nontransaction work{own};
  work.exec("begin; " + as_tenant("globex") + "; commit");
  const auto count = [&](const char* role) {
    work.exec("begin; set local role " + std::string{role});
    const auto rows = work.exec("select count(*) from arauto.event")[0][0].as<int>();
    work.exec("rollback");
    return rows;
  };
  BOOST_TEST(count("arauto_tenant") == 0);
  work.exec("begin; " + as_worker("globex") + "; commit");
  BOOST_TEST(count("arauto_worker") == 0);
  BOOST_TEST(work.exec("select current_user = session_user")[0][0].as<bool>());
}

// The twins: it is the policies that hold, not something else.
BOOST_AUTO_TEST_CASE(without_its_policy_each_wall_is_open) {
  for (const auto& table : tables) {
    sql("alter table arauto." + table + " disable row level security");
    BOOST_TEST(seen(as_tenant("acme"), table) > 0, table);
    BOOST_TEST(seen("set local role arauto_worker", table) > 0, table);
  }
  BOOST_TEST(may(as_tenant("acme"), foreign_insert));
  BOOST_TEST(may(as_worker("acme"), foreign_suppression));
}

BOOST_AUTO_TEST_SUITE_END()
