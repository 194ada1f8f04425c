// The shape of the database and the server it lives on.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <thread>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "deployment/program.hpp"
#include "storage/model/state.hpp"
#include "storage/schema.hpp"
#include "tests/support/ledger.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(schema)

BOOST_FIXTURE_TEST_CASE(the_table_of_moves_is_the_same_in_the_model_and_in_the_database,
                        own_database) {
  pqxx::connection connection{url};
  pqxx::work work{connection};
  for (auto from : all_states)
    for (auto to : all_states) {
      const auto row =
          work.exec_params1("select arauto.may_move($1, $2)", to_string(from), to_string(to));
      BOOST_TEST(row[0].as<bool>() == may_move(from, to), to_string(from)
                                                              << " -> " << to_string(to));
    }
}

BOOST_FIXTURE_TEST_CASE(no_door_can_make_a_move_the_table_does_not_have, ledger) {
  const auto id = accepted_event("o-1");
  settle_accepted(claim_one());
  BOOST_CHECK_THROW(
      sql("update arauto.delivery set state = 'pending', settled_at = null where event_id = '"
          + id.text + "'"),
      pqxx::sql_error);
  BOOST_TEST(to_string(state_of(id)) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(the_database_refuses_a_state_that_contradicts_its_columns, ledger) {
  accepted_event("o-1");
  BOOST_CHECK_THROW(sql("update arauto.delivery set state = 'leased'"), pqxx::sql_error);
  BOOST_CHECK_THROW(sql("update arauto.delivery set begun_at = now()"), pqxx::sql_error);
  BOOST_CHECK_THROW(sql("update arauto.delivery set state = 'suppressed'"), pqxx::sql_error);
}

BOOST_FIXTURE_TEST_CASE(no_row_can_point_into_another_tenant, ledger) {
  add_tenant({"zeta"});
  const auto id = accepted_event("o-1");
  BOOST_CHECK_THROW(
      sql("insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, "
          "next_attempt_at) values ('"
          + id.text + "', 'push', 'zeta', 'ana', 1, 'pending', now())"),
      pqxx::foreign_key_violation);
}

BOOST_FIXTURE_TEST_CASE(migrating_twice_and_at_once_runs_each_step_once, empty_database) {
  storage::database_settings settings;
  settings.url = url;
  std::vector<std::thread> nodes;
  std::vector<int> versions(4);
  for (auto& version : versions)
    nodes.emplace_back([&] {
      storage::session db{settings};
      const auto made = storage::migrate(db);
      version = made ? *made : -1;
    });
  for (auto& one : nodes)
    one.join();
  for (const auto version : versions)
    BOOST_TEST(version == storage::schema_version());
  storage::session db{settings};
  BOOST_TEST(*storage::migrate(db) == storage::schema_version());
}

BOOST_FIXTURE_TEST_CASE(a_schema_newer_than_the_program_is_refused_and_says_so, ledger) {
  sql("insert into arauto.migration (number, name) values (9999, '9999_future')");
  const auto made = storage::migrate(db);
  BOOST_TEST((made.error() == errc::schema_too_new));
  BOOST_TEST(made.why().text.find("9999") != std::string::npos);
}

// A login that owns nothing and may only take on the service's roles.
struct plain_login : ledger {
  plain_login() {
    sql("create role " + login + " login noinherit password 'plain'");
    sql("grant arauto_tenant, arauto_worker, arauto_steward to " + login);
    const auto authority = url.find("://") + 3;
    mine.url = url;
    mine.url.replace(authority, url.find('@') - authority, login + ":plain");
  }
  ~plain_login() { sql("drop role " + login); }

  const std::string login = "plain_" + name;
  storage::database_settings mine;
};

BOOST_FIXTURE_TEST_CASE(a_login_that_owns_nothing_serves_behind_the_walls_P8, plain_login) {
  storage::session plain{mine};
  BOOST_TEST(*storage::migrate(plain) == storage::schema_version());
  BOOST_TEST((storage::accept(plain, {order_shipped("o-1")}, node, lease_length)->at(0).verdict
              == acceptance::created));
  BOOST_TEST(storage::list_tenants(plain, {}, 10)->size() == 1);
  pqxx::connection bare{mine.url};
  pqxx::nontransaction work{bare};
  BOOST_CHECK_THROW(work.exec("select from arauto.recipient"), pqxx::insufficient_privilege);
}

BOOST_FIXTURE_TEST_CASE(a_login_that_owns_nothing_is_told_who_migrates, plain_login) {
  sql("delete from arauto.migration where number > 0");
  storage::session plain{mine};
  const auto made = storage::migrate(plain);
  BOOST_TEST(!made);
  BOOST_TEST(made.why().text.find("arauto migrate") != std::string::npos, made.why().text);
}

// The same cluster, started by somebody who wanted it fast.
struct careless_server : own_server {
  careless_server() { postgres.stop(); }
  ~careless_server() { end(); }

  void start_with(const std::string& setting) {
    end();
    deployment::program server;
    server.words = {"/usr/lib/postgresql/15/bin/postgres",
                    "-D",
                    (directory.path / "postgres" / "data").string(),
                    "-c",
                    "listen_addresses=127.0.0.1",
                    "-c",
                    "port=" + port(),
                    "-c",
                    "unix_socket_directories=",
                    "-c",
                    setting};
    if (geteuid() == 0) server.as = deployment::account_named("postgres");
    server.output = "/dev/null";
    pid = deployment::start(server);
  }
  void end() {
    if (pid == 0) return;
    kill(pid, SIGINT);
    waitpid(std::exchange(pid, 0), nullptr, 0);
  }
  std::string port() const {
    const auto url = settings().url;
    const auto colon = url.rfind(':');
    return url.substr(colon + 1, url.find('/', colon) - colon - 1);
  }

  pid_t pid = 0;
};

BOOST_FIXTURE_TEST_CASE(a_server_that_can_lose_commits_is_refused, careless_server) {
  const auto judged = [this](const std::string& setting) {
    start_with(setting);
    storage::session db{settings()};
    auto made = storage::check_server(db);
    for (int tries = 0; made.error() == errc::unavailable && tries < 200;
         ++tries) { // while it starts
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
      made = storage::check_server(db);
    }
    return made.error();
  };
  BOOST_TEST((judged("fsync=on") == errc::none));
  BOOST_TEST((judged("fsync=off") == errc::unsafe_server));
  BOOST_TEST((judged("full_page_writes=off") == errc::unsafe_server));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
