// P1: a lost COMMIT answer is resolved by running again, never by guessing. F4, F5; field cases
// S18, S19.
#include <boost/test/unit_test.hpp>

#include "actors/in_parts.hpp"
#include "tests/support/ledger.hpp"
#include "tests/support/tcp_gate.hpp"

namespace arauto::tests {

namespace {

const std::string the_commit{"commit\0", 7}; // not the one in synchronous_commit

int port_in(const std::string& url) {
  const auto colon = url.rfind(':');
  return std::stoi(url.substr(colon + 1));
}

std::string with_port(std::string url, int port) {
  const auto colon = url.rfind(':');
  return url.replace(colon + 1, url.find('/', colon) - colon - 1, std::to_string(port));
}

struct gated_ledger : ledger {
  tcp_gate gate{port_in(url)};
  storage::database_settings through = [this] {
    auto made = settings();
    made.url = with_port(url, gate.port());
    made.silence_timeout = std::chrono::milliseconds{1'000};
    return made;
  }();
  storage::session far{through};

  result<std::vector<accept_answer>> accept_far(const notification& asked) {
    return storage::accept(far, {asked}, node, lease_length);
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(sessions)

// An exact match in `public` would beat the built-in that takes any array.
BOOST_FIXTURE_TEST_CASE(a_function_that_somebody_put_in_our_way_is_not_called, ledger) {
  for (const std::string type : {"text", "bigint", "smallint"})
    sql("create function public.unnest(given " + type + "[]) returns setof " + type
        + " language plpgsql as $$ begin raise exception 'trapped'; end $$");
  sql("alter database " + name + " set search_path = public, pg_catalog");
  storage::session mine{settings()};
  auto asked = order_shipped("o-1");
  asked.channels_given = true;
  asked.channels = {channel::email};
  const auto made = storage::accept(mine, {asked}, node, lease_length);
  BOOST_REQUIRE_MESSAGE(made, made.why().text);
  BOOST_TEST((made->at(0).verdict == acceptance::created));
  BOOST_TEST(storage::claim(mine, {{acme, channel::email, 1, 1}}, node, lease_length)->size() == 1);
  BOOST_CHECK_THROW(value("select public.unnest('{a}'::text[])"), pqxx::sql_error);
}

BOOST_FIXTURE_TEST_CASE(a_commit_whose_answer_is_lost_is_doubt_and_had_happened, gated_ledger) {
  const auto asked = order_shipped("o-1");
  BOOST_REQUIRE(accept_far(order_shipped("before")));
  gate.set(tcp_gate::mode::lose_answer, the_commit);
  BOOST_TEST((accept_far(asked).error() == errc::commit_in_doubt));
  const auto again = accept_far(asked); // a new connection, the same id
  BOOST_REQUIRE(again);
  BOOST_TEST((again->at(0).verdict == acceptance::created));
  BOOST_TEST(again->at(0).id.text == asked.id.text);
  BOOST_TEST(value("select count(*) from arauto.event where client_key = 'o-1'") == "1");
}

BOOST_FIXTURE_TEST_CASE(a_commit_that_never_arrived_is_doubt_and_had_not_happened, gated_ledger) {
  const auto asked = order_shipped("o-1");
  gate.set(tcp_gate::mode::lose_question, the_commit);
  BOOST_TEST((accept_far(asked).error() == errc::commit_in_doubt));
  BOOST_TEST(value("select count(*) from arauto.event") == "0");
  const auto again = accept_far(asked);
  BOOST_REQUIRE(again);
  BOOST_TEST((again->at(0).verdict == acceptance::created));
}

BOOST_FIXTURE_TEST_CASE(a_group_whose_commit_is_in_doubt_is_looked_up_not_guessed, gated_ledger) {
  for (const auto how : {tcp_gate::mode::lose_answer, tcp_gate::mode::lose_question}) {
    std::vector<notification> group;
    for (int i = 0; i < 5; ++i)
      group.push_back(
          order_shipped(std::to_string(static_cast<int>(how)) + "-" + std::to_string(i)));
    gate.set(how, the_commit);
    const auto answers = in_parts<accept_answer>(group, [&](const std::vector<notification>& part) {
      return storage::accept(far, part, node, lease_length);
    });
    for (std::size_t i = 0; i < group.size(); ++i) {
      BOOST_REQUIRE(answers.at(i));
      BOOST_TEST((answers[i]->verdict == acceptance::created));
      BOOST_TEST(answers[i]->id.text == group[i].id.text);
    }
  }
  BOOST_TEST(value("select count(*) from arauto.event") == "10");
}

BOOST_FIXTURE_TEST_CASE(a_question_lost_before_its_commit_did_nothing_and_says_so, gated_ledger) {
  BOOST_REQUIRE(accept_far(order_shipped("before")));
  gate.set(tcp_gate::mode::lose_answer, "o-1");
  BOOST_TEST((accept_far(order_shipped("o-1")).error() == errc::unavailable));
  BOOST_TEST(value("select count(*) from arauto.event where client_key = 'o-1'") == "0");
  BOOST_TEST(static_cast<bool>(accept_far(order_shipped("o-1"))));
}

BOOST_FIXTURE_TEST_CASE(a_database_that_falls_silent_is_left_in_bounded_time_F5, gated_ledger) {
  BOOST_REQUIRE(accept_far(order_shipped("before")));
  gate.set(tcp_gate::mode::fall_silent, "o-1");
  const auto begun = std::chrono::steady_clock::now();
  BOOST_TEST((accept_far(order_shipped("o-1")).error() == errc::unavailable));
  BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::seconds{5}));
  BOOST_TEST(static_cast<bool>(accept_far(order_shipped("o-1"))));
}

BOOST_FIXTURE_TEST_CASE(a_killed_connection_is_thrown_away_whole_S18, ledger) {
  accepted_event("o-1");
  sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
      "and pid <> "
      "pg_backend_pid()");
  BOOST_TEST((storage::accept(db, {order_shipped("o-2")}, node, lease_length).error()
              == errc::unavailable));
  BOOST_TEST((accept_one(order_shipped("o-2")).verdict == acceptance::created));
}

BOOST_FIXTURE_TEST_CASE(a_server_gone_read_only_is_unavailable_and_its_session_dropped_S19,
                        ledger) {
  accepted_event("o-1");
  sql("alter database " + name + " set default_transaction_read_only = on");
  sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
      "and pid <> "
      "pg_backend_pid()");
  BOOST_TEST(!storage::accept(db, {order_shipped("o-2")}, node, lease_length));
  BOOST_TEST((storage::accept(db, {order_shipped("o-2")}, node, lease_length).error()
              == errc::unavailable));
  BOOST_TEST(!db.connected());
  pqxx::connection admin{url};
  pqxx::nontransaction work{admin};
  work.exec("set default_transaction_read_only = off");
  work.exec("alter database " + name + " set default_transaction_read_only = off");
  BOOST_TEST((accept_one(order_shipped("o-2")).verdict == acceptance::created));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
