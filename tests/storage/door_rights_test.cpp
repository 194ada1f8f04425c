// What a bound role may do through the SQL door, and that it may do nothing else (P8).
#include <boost/test/unit_test.hpp>

#include "storage/door.hpp"
#include "storage/schema.hpp"
#include "tests/support/shop.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(sql_door_rights)

const std::string denied = "42501";

struct two_tenants : shop {
  two_tenants() {
    add_tenant(zeta);
    add_user(zeta, ana, "ana@zeta.example");
    add_user(zeta, {"zoe"}, "zoe@zeta.example");
    auto theirs = order_shipped("zeta-secret");
    theirs.tenant = zeta;
    theirs.user = {"zoe"};
    accept_one(theirs);
  }
  const tenant_id zeta{"zeta"};

  // Runs it as the bound role; the SQLSTATE, "" when it was allowed.
  std::string tried(const std::string& text) {
    pqxx::connection connection{role.url};
    pqxx::nontransaction work{connection};
    try {
      work.exec(text);
      return {};
    } catch (const pqxx::insufficient_privilege&) { // libpqxx forgets its code
      return denied;
    } catch (const pqxx::sql_error& e) {
      return e.sqlstate();
    }
  }
  std::string seen(const std::string& text) {
    pqxx::connection connection{role.url};
    pqxx::nontransaction work{connection};
    return work.exec1(text)[0].c_str();
  }
};

BOOST_FIXTURE_TEST_CASE(it_reads_four_views_and_writes_nothing, two_tenants) {
  std::vector<std::string> readable;
  for (const auto& row : sql("select relname, relkind from pg_class where relnamespace = "
                             "'arauto'::regnamespace and relkind in ('r', 'v', 'm', 'S', 'p') "
                             "order by relname")) {
    const std::string name = row[0].c_str();
    if (tried("select from arauto." + name).empty()) readable.push_back(name);
    if (row[1].c_str()[0] != 'r') continue;
    for (const auto& write :
         {"delete from arauto." + name, "insert into arauto." + name + " default values",
          "truncate arauto." + name})
      BOOST_TEST(tried(write) == denied, write);
  }
  BOOST_TEST(value("select count(*) from pg_class where relnamespace = 'arauto'::regnamespace and "
                   "has_any_column_privilege('"
                   + role.name + "', oid, 'update, insert, references')")
             == "0");
  const std::vector<std::string> views{"dead_letters", "in_doubt", "lag_by_tenant", "waiting"};
  BOOST_TEST(readable == views, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(it_calls_notify_and_three_that_make_words, two_tenants) {
  std::vector<std::string> callable;
  for (const auto& row :
       sql("select proname from pg_proc where pronamespace = 'arauto'::regnamespace and "
           "has_function_privilege('"
           + role.name + "', oid, 'execute') order by proname"))
    callable.push_back(row[0].c_str());
  const std::vector<std::string> all{"api_version", "doubt_waits_for", "notify", "waiting_for"};
  BOOST_TEST(callable == all, boost::test_tools::per_element());
  BOOST_TEST(tried("select arauto.accept_items('[]', null, null)") == denied);
  BOOST_TEST(tried("select arauto.open_door('" + role.name + "')") == denied);
  BOOST_TEST(tried("select arauto.is_erased(gen_random_uuid())") == denied);
}

BOOST_FIXTURE_TEST_CASE(nobody_calls_anything_just_because_it_is_there, own_database) {
  pqxx::connection connection{url};
  pqxx::nontransaction work{connection};
  BOOST_TEST(work.exec1("select count(*) from pg_proc p, aclexplode(coalesce(p.proacl, "
                        "acldefault('f', p.proowner))) a where p.pronamespace = "
                        "'arauto'::regnamespace and a.grantee = 0")[0]
                 .as<int>()
             == 0);
}

BOOST_FIXTURE_TEST_CASE(it_cannot_become_more, two_tenants) {
  for (const auto* other : {"arauto_tenant", "arauto_worker", "arauto_steward"})
    BOOST_TEST(tried(std::string{"set role "} + other) == denied, other);
  BOOST_TEST(tried("create table arauto.mine ()") == denied);
  BOOST_TEST(tried("create view arauto.mine as select 1") == denied);
  BOOST_TEST(tried("alter view arauto.waiting set (security_barrier = false)") == denied);
}

BOOST_FIXTURE_TEST_CASE(it_sees_and_tells_its_own_tenant_only, two_tenants) {
  notify_one({"ours"});
  BOOST_TEST(seen("select string_agg(client_operation_id, ' ') from arauto.waiting") == "ours");
  BOOST_TEST(seen("select string_agg(tenant_id, ' ') from arauto.lag_by_tenant") == "acme");
  // What a session says of itself changes nothing.
  pqxx::connection connection{role.url};
  pqxx::work work{connection};
  work.exec("set local arauto.tenant = 'zeta'; set local arauto.tenants = '{zeta,acme}'");
  BOOST_TEST(
      work.exec1("select string_agg(client_operation_id, ' ') from arauto.waiting")[0].c_str()
      == "ours");
  work.exec("set local row_security = off");
  notify(work, {"zeta-secret"}); // theirs is not in the way, and not found
  work.commit();
  BOOST_TEST(value("select string_agg(tenant_id, ' ' order by tenant_id) from arauto.event where "
                   "client_key = 'zeta-secret'")
             == "acme zeta");
}

// A function that costs nothing is run first, unless a barrier stands before the rows.
BOOST_FIXTURE_TEST_CASE(a_cheap_function_is_not_shown_the_rows_of_others, two_tenants) {
  sql("grant temporary on database " + name + " to " + role.name);
  const auto spied = [&] {
    pqxx::connection connection{role.url};
    pqxx::nontransaction work{connection};
    work.exec("create temp table spied (who text);"
              "create function pg_temp.spy(who text) returns boolean cost 0.0000001 "
              "language plpgsql as $$ begin insert into spied values (who); return true; "
              "end $$");
    work.exec("set enable_indexscan = off; set enable_bitmapscan = off"); // the worst plan for us
    work.exec("select from arauto.waiting where pg_temp.spy(user_id)");
    return std::string{
        work.exec1("select coalesce(string_agg(who, ' '), '') from spied")[0].c_str()};
  };
  BOOST_TEST(spied() == "");
  sql("alter view arauto.waiting reset (security_barrier);"
      "alter view arauto.tenant_in_view reset (security_barrier);"
      "alter table arauto.delivery disable row level security"); // which orders conditions as well
  BOOST_TEST(spied() == "zoe");                                  // without the barriers
}

BOOST_FIXTURE_TEST_CASE(what_stands_in_a_callers_path_is_not_called, two_tenants) {
  sql("create schema " + role.name + " authorization " + role.name);
  const std::string trap =
      "create table " + role.name + ".sprung (by name); grant insert on " + role.name
      + ".sprung to public; grant usage on schema " + role.name + " to public;" + "create function "
      + role.name + ".btrim(text, text) returns text language plpgsql as $$ begin insert into "
      + role.name + ".sprung values (current_user); return $1; end $$; grant execute on function "
      + role.name + ".btrim(text, text) to public";
  BOOST_TEST(tried(trap) == "");
  const auto sprung_by = [&] {
    pqxx::connection connection{role.url};
    pqxx::work work{connection};
    work.exec("set local search_path = " + role.name + ", pg_catalog, pg_temp");
    notify(work, {"o-1"});
    const auto who = work.exec1("select coalesce(string_agg(by, ' '), '') from sprung");
    return std::string{who[0].c_str()};
  };
  BOOST_TEST(sprung_by() == "");
  sql("alter function arauto.notify(text, text, json, text, text[], text, timestamptz, "
      "timestamptz) reset search_path");
  BOOST_TEST(sprung_by() == "arauto_worker"); // without the fixed path it would be ours to take
}

BOOST_FIXTURE_TEST_CASE(settings_of_a_session_do_not_change_what_is_understood, shop) {
  pqxx::connection connection{role.url};
  pqxx::work work{connection};
  work.exec("set standard_conforming_strings = off; set transform_null_equals = on; "
            "set datestyle = 'German'; set timezone = 'Asia/Kolkata'; set enable_seqscan = on; "
            "set plan_cache_mode = force_custom_plan; set bytea_output = escape; "
            "set extra_float_digits = -15");
  call asked{"o-1"};
  asked.send_at = "2001-02-03 04:05:06.789012+00";
  asked.variables = R"({"order":"a \\ \" \u00e9","n":0.1000000000000000055})";
  const auto id = notify(work, asked);
  work.commit();
  auto again = order_shipped("o-1");
  again.variables = R"({"n":0.1000000000000000055,"order":"a \\ \" é"})";
  again.send_at = "2001-02-03T04:05:06.789012Z";
  const auto same = accept_one(again);
  BOOST_TEST((same.verdict == acceptance::replayed));
  BOOST_TEST(same.id.text == id);
}

// -- who is who --------------------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(a_session_is_the_role_it_took_on, two_tenants) {
  const plain_role pool{url};
  const plain_role branch{url};
  bind(db, branch, zeta);
  sql("grant " + role.name + ", " + branch.name + " to " + pool.name);
  pqxx::connection connection{pool.url};
  {
    pqxx::work work{connection};
    work.exec("set local role " + role.name);
    notify(work, {"o-1"});
    work.exec("set local role " + branch.name);
    notify(work, {"o-1"});
    work.commit();
  }
  BOOST_TEST(value("select string_agg(tenant_id, ' ' order by tenant_id) from arauto.event where "
                   "client_key = 'o-1'")
             == "acme zeta");
  // A member that took on nothing is allowed to call, and bound to nobody.
  pqxx::work work{connection};
  BOOST_CHECK_EXCEPTION(notify(work, {"o-2"}), pqxx::sql_error,
                        [](const auto& e) { return e.sqlstate() == "AR003"; });
}

BOOST_FIXTURE_TEST_CASE(an_operator_sees_all_tenants, two_tenants) {
  notify_one({"ours"});
  const plain_role person{url};
  const auto counted = [&] {
    pqxx::connection connection{person.url};
    pqxx::nontransaction work{connection};
    return work.exec1("select count(distinct tenant_id) from arauto.waiting")[0].as<int>();
  };
  BOOST_CHECK_THROW(counted(), pqxx::sql_error);
  sql("grant arauto_steward to " + person.name);
  BOOST_TEST(counted() == 2);
  BOOST_TEST(value("select count(distinct tenant_id) from arauto.waiting") == "2"); // the owner
}

BOOST_FIXTURE_TEST_CASE(binding_says_what_is_wrong_and_unbinding_takes_all, two_tenants) {
  const auto bind = [&](const std::string& who, const tenant_id& whose) {
    storage::door_view wanted{who, whose, true, {}, true};
    return storage::bind_door(db, wanted, a_test).error();
  };
  BOOST_TEST((bind("no_such_role", acme) == errc::not_found));
  BOOST_TEST((bind(role.name, {"nobody"}) == errc::not_found));
  BOOST_TEST((bind(role.name, zeta) == errc::already_exists));
  BOOST_TEST((bind("arauto_steward", acme) == errc::bad_input));
  BOOST_TEST((bind(role.name, acme) == errc::none));
  const auto all = storage::list_doors(db);
  BOOST_REQUIRE_EQUAL(all->size(), 1);
  BOOST_TEST(all->front().role == role.name);
  BOOST_TEST(all->front().has_rights);
  BOOST_REQUIRE(storage::unbind_door(db, role.name, a_test));
  BOOST_TEST(value("select string_agg(action || ' ' || tenant_id, ', ' order by id) from "
                   "arauto.audit where action like 'door.%' and object = '"
                   + role.name + "'")
             == "door.bind acme, door.bind acme, door.unbind acme");
  BOOST_TEST((storage::unbind_door(db, role.name, a_test).error() == errc::not_found));
  BOOST_TEST(refused({"o-1"}).state == denied);
  BOOST_TEST(tried("select from arauto.waiting") == denied);
}

// -- made anew ---------------------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(what_changed_is_made_anew_and_rights_stay, two_tenants) {
  const auto made_at = [&] {
    return value("select run_at from arauto.migration where number = 0");
  };
  const auto before = made_at();
  BOOST_REQUIRE(storage::migrate(db));
  BOOST_TEST(made_at() == before);
  sql("create or replace function arauto.api_version() returns integer language sql as 'select 0';"
      "update arauto.migration set name = 'another text' where number = 0");
  BOOST_REQUIRE(storage::migrate(db));
  BOOST_TEST(made_at() != before);
  BOOST_TEST(seen("select arauto.api_version()") == "1");
  notify_one({"o-1"});
}

BOOST_FIXTURE_TEST_CASE(a_role_made_again_does_not_inherit_by_its_name, two_tenants) {
  sql("drop owned by " + role.name + "; drop role " + role.name + "; create role " + role.name
      + " login password 'shut'; update arauto.migration set name = 'old' where number = 0");
  BOOST_REQUIRE(storage::migrate(db));
  BOOST_TEST(!storage::list_doors(db)->front().has_rights);
  BOOST_TEST(refused({"o-1"}).state == denied);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
