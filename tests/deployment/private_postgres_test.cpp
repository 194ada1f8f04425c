#include <boost/test/unit_test.hpp>

#include <csignal>
#include <fstream>

#include <pqxx/pqxx>
#include <sys/wait.h>
#include <unistd.h>

#include "deployment/private_postgres.hpp"
#include "deployment/trouble.hpp"
#include "tests/support/own_database.hpp"

using arauto::deployment::private_postgres;
using arauto::deployment::trouble;
using arauto::tests::passable_directory;

namespace {

void write_one(const std::string& url) {
  pqxx::connection db{url};
  pqxx::work work{db};
  work.exec("create table if not exists note (said text)");
  work.exec("insert into note values ('kept')");
  work.commit();
}

int count(const std::string& url) {
  pqxx::connection db{url};
  pqxx::work work{db};
  return work.exec1("select count(*) from note")[0].as<int>();
}

std::string setting(const std::string& url, const std::string& name) {
  pqxx::connection db{url};
  pqxx::work work{db};
  return work.exec1("show " + name)[0].as<std::string>();
}

pid_t pid_of(const std::filesystem::path& directory) {
  std::ifstream in{directory / "data/postmaster.pid"};
  pid_t pid = 0;
  in >> pid;
  return pid;
}

bool mentions(const std::exception& e, const std::string& what) {
  BOOST_TEST_MESSAGE(e.what());
  return std::string{e.what()}.find(what) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(private_postgres_suite)

BOOST_AUTO_TEST_CASE(an_empty_directory_becomes_a_safe_server_on_loopback_only) {
  const passable_directory home;
  const private_postgres server{home.path / "postgres"};
  BOOST_TEST(server.running());
  BOOST_TEST(setting(server.url(), "listen_addresses") == "127.0.0.1");
  BOOST_TEST(setting(server.url(), "fsync") == "on");
  BOOST_TEST(setting(server.url(), "full_page_writes") == "on");
  BOOST_TEST(setting(server.url(), "server_encoding") == "UTF8");
  BOOST_TEST(setting(server.local_url(), "log_parameter_max_length_on_error") == "0");
  const auto mode = std::filesystem::status(home.path / "postgres").permissions();
  BOOST_TEST((mode == std::filesystem::perms::owner_all));
}

BOOST_AUTO_TEST_CASE(loopback_asks_for_the_password) {
  const passable_directory home;
  const private_postgres server{home.path / "postgres"};
  auto url = server.url();
  const auto colon = url.find(':', url.find("//"));
  url.replace(colon + 1, url.find('@') - colon - 1, "wrong");
  BOOST_CHECK_THROW(pqxx::connection{url}, pqxx::broken_connection);
}

BOOST_AUTO_TEST_CASE(what_was_written_is_there_after_a_stop_a_crash_and_a_new_owner) {
  const passable_directory home;
  std::string url;
  {
    private_postgres server{home.path / "postgres"};
    url = server.url();
    write_one(server.url());
    server.stop();
    BOOST_TEST(!server.running());
    server.start();
    write_one(server.url());
    server.stop_immediate();
    server.start();
    BOOST_TEST(count(server.url()) == 2);
  }
  const private_postgres again{home.path / "postgres"};
  BOOST_TEST(again.url() == url); // port and password are kept
  BOOST_TEST(count(again.url()) == 2);
}

BOOST_AUTO_TEST_CASE(it_stops_when_its_owner_leaves) {
  const passable_directory home;
  pid_t pid = 0;
  {
    const private_postgres server{home.path / "postgres"};
    pid = pid_of(home.path / "postgres");
    BOOST_TEST(::kill(pid, 0) == 0);
  }
  BOOST_TEST(::kill(pid, 0) != 0);
}

BOOST_AUTO_TEST_CASE(a_killed_owner_leaves_a_directory_the_next_one_can_use) {
  const passable_directory home;
  int tell[2];
  BOOST_REQUIRE(::pipe(tell) == 0);
  const auto owner = ::fork();
  if (owner == 0) {
    const private_postgres server{home.path / "postgres"};
    write_one(server.url());
    (void)!::write(tell[1], "x", 1);
    ::pause();
    ::_exit(0);
  }
  char ready = 0;
  BOOST_REQUIRE(::read(tell[0], &ready, 1) == 1);
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  const private_postgres next{home.path / "postgres"};
  BOOST_TEST(count(next.url()) == 1);
}

BOOST_AUTO_TEST_CASE(a_killed_postmaster_is_replaced) {
  const passable_directory home;
  private_postgres server{home.path / "postgres"};
  write_one(server.url());
  ::kill(pid_of(home.path / "postgres"), SIGKILL);
  server.stop();
  server.start();
  BOOST_TEST(count(server.url()) == 1);
}

BOOST_AUTO_TEST_CASE(a_pid_file_that_names_a_foreign_process_does_not_stop_the_start) {
  const passable_directory home;
  const auto directory = home.path / "postgres";
  { const private_postgres server{directory}; }
  std::ofstream{directory / "data/postmaster.pid"} << ::getpid() << "\n"
                                                   << (directory / "data").string() << "\n";
  const private_postgres server{directory};
  BOOST_TEST(server.running());
}

BOOST_AUTO_TEST_CASE(a_half_made_cluster_is_made_anew) {
  const passable_directory home;
  const auto directory = home.path / "postgres";
  std::filesystem::create_directories(directory / "data.new/base");
  if (::geteuid() == 0) {
    const auto who = arauto::deployment::account_named("postgres");
    BOOST_REQUIRE(who);
    BOOST_REQUIRE(::chown(directory.c_str(), who->user, who->group) == 0);
  }
  const private_postgres server{directory};
  BOOST_TEST(server.running());
}

BOOST_AUTO_TEST_CASE(two_owners_of_one_directory_are_refused) {
  const passable_directory home;
  const private_postgres first{home.path / "postgres"};
  BOOST_CHECK_EXCEPTION(private_postgres{home.path / "postgres"}, trouble, [&](const trouble& e) {
    return mentions(e, "--data") && mentions(e, "another arauto");
  });
  BOOST_TEST(first.running());
}

BOOST_AUTO_TEST_CASE(a_directory_its_account_may_not_enter_is_named) {
  if (::geteuid() != 0) return; // as a person it works in the person's own directories
  const passable_directory home;
  const auto closed = home.path / "closed";
  std::filesystem::create_directory(closed);
  std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
  BOOST_CHECK_EXCEPTION(private_postgres{closed / "deep/postgres"}, trouble, [&](const trouble& e) {
    return mentions(e, "--data") && mentions(e, closed.string() + ";");
  });
}

BOOST_AUTO_TEST_SUITE_END()
