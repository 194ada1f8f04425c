// What the SQL door commits is sent at once; whatever becomes of the one who listens, the poll
// finds it (P3; S17, S18). A poll of a minute shows that it was the hint; a short one, that it was
// not.
#include <boost/test/unit_test.hpp>

#include <cstdlib>

#include "storage/notices.hpp"
#include "tests/support/running_office.hpp"
#include "tests/support/shop.hpp"
#include "tests/support/tcp_gate.hpp"

namespace arauto::tests {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(porter)

struct hearing : running_office {
  hearing() {
    bind(db, role);
    provider->how = [](const auto&, int) {
      return scripted_port::answer{false, says(verdict::accepted)};
    };
    rules.poll = 60s;
  }
  plain_role role{url};

  void open_and_listen() {
    open();
    wait_until("somebody listens", [&] { return listened() >= 1; });
  }
  double listened() { return metric("arauto_porter_connections_total"); }
  void tell_and_see(const std::string& operation) {
    wait_for_state({notify_once(role.url, {operation})}, state::provider_accepted);
  }
  // Ends the listening connection as an administrator would.
  void cut_off() {
    sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = "
        "current_database() and pid <> pg_backend_pid() and query ilike "
        "any (array['%pg_notification_queue_usage%', '%named tenants%'])");
  }
};

BOOST_FIXTURE_TEST_CASE(a_commit_is_heard_and_sent_without_a_poll, hearing) {
  open_and_listen();
  for (int n = 0; n < 5; ++n)
    tell_and_see("o-" + std::to_string(n));
  BOOST_TEST(metric("arauto_notices_total") >= 1);
}

BOOST_FIXTURE_TEST_CASE(without_anybody_listening_the_poll_finds_it, hearing) {
  rules.listens = false;
  rules.poll = 100ms;
  open();
  tell_and_see("o-1");
  BOOST_TEST(listened() == 0);
}

BOOST_FIXTURE_TEST_CASE(a_lost_connection_is_made_again_and_misses_nothing_S18, hearing) {
  open_and_listen();
  tell_and_see("warm");
  cut_off();
  tell_and_see("into-the-gap"); // heard by nobody, perhaps: found because everything is looked at
  wait_until("somebody listens again", [&] { return listened() >= 2; });
  tell_and_see("after");
  BOOST_TEST(!collapsed);
}

BOOST_FIXTURE_TEST_CASE(a_connection_that_fell_silent_is_noticed_and_the_poll_bridges_it_S18,
                        hearing) {
  tcp_gate gate{std::stoi(url.substr(url.find(':', url.find('@')) + 1))};
  rules.database.url =
      url.substr(0, url.find(':', url.find('@')) + 1) + std::to_string(gate.port()) + "/" + name;
  rules.poll = 200ms;
  open_and_listen();
  gate.set(tcp_gate::mode::fall_silent, "pg_notification_queue_usage");
  // From its next question on nothing comes back; what is told meanwhile is found by the poll.
  for (int n = 0; listened() < 2; ++n) {
    BOOST_REQUIRE(n < 2'000);
    tell_and_see("o-" + std::to_string(n));
  }
  tell_and_see("after");
}

BOOST_FIXTURE_TEST_CASE(a_listener_that_is_stuck_is_seen_and_stops_nobody_S17, hearing) {
  open_and_listen();
  pqxx::connection stuck{url};
  pqxx::nontransaction held{stuck};
  held.exec("listen arauto_due");
  held.exec("begin; select 1");
  pqxx::connection teller{role.url};
  teller.prepare("one", "select arauto.notify('ana', 'order.shipped', '{\"order\":\"1\"}', $1)");
  pqxx::nontransaction work{teller};
  work.exec("set synchronous_commit = off");
  for (int n = 0; n < 2'000; ++n)
    work.exec_prepared("one", "o-" + std::to_string(n));
  wait_until("the queue is seen to fill",
             [&] { return metric("arauto_notification_queue_used") > 0; });
  wait_until("all are sent", [&] { return count_of(state::provider_accepted) == 2'000; });
  held.exec("commit");
  wait_until("the queue is seen to empty",
             [&] { return metric("arauto_notification_queue_used") == 0; });
}

// Anybody who may connect may say anything.
BOOST_FIXTURE_TEST_CASE(what_strangers_say_costs_little_and_harms_nobody, hearing) {
  open_and_listen();
  sql("select pg_notify('arauto_due', x) from unnest(array['', 'Acme', 'a b', repeat('x', 7000), "
      "'../acme', 'nobody']) x; select pg_notify('arauto_due', 'nobody-' || i) from "
      "generate_series(1, 5000) i");
  tell_and_see("o-1");
  BOOST_TEST(!collapsed);
}

BOOST_FIXTURE_TEST_CASE(more_tenants_than_fit_are_a_reason_to_look_at_everything, shop) {
  storage::notices ears{settings()};
  BOOST_TEST(ears.wait(0ms)->anew);
  sql("select pg_notify('arauto_due', 'many-' || i) from generate_series(1, 1000) i");
  std::size_t notices = 0;
  bool anew = false;
  while (notices < 1'000) {
    const auto heard = ears.wait(5s);
    BOOST_REQUIRE(heard);
    BOOST_REQUIRE(heard->notices > 0);
    BOOST_TEST(heard->tenants.size() <= storage::notices::tenants_max);
    notices += heard->notices;
    anew = anew || heard->anew;
  }
  BOOST_TEST(notices == 1'000);
  BOOST_TEST(anew == true);
  // A name counts where there is work; who says it does not matter.
  sql("select pg_notify('arauto_due', 'acme'); select pg_notify('arauto_due', 'no name')");
  BOOST_TEST(ears.wait(5s)->tenants.empty());
  notify_one({"o-1"});
  const auto next = ears.wait(5s);
  BOOST_REQUIRE(next);
  BOOST_TEST(!next->anew);
  BOOST_TEST((next->tenants == std::set<tenant_id>{acme}));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
