// The database goes and comes back: 503 with a time to return, never a guess, never another 5xx;
// and exceptions that nobody expected say nothing (P1, P3; S05).
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <boost/test/unit_test.hpp>
#include <prometheus/registry.h>

#include "actors/office.hpp"
#include "http/service.hpp"
#include "storage/pool.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/shop.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;

namespace {

// Never asked: nothing is sent here.
class no_port : public channels::port {
public:
  result<channels::composed> compose(const message&) const override { return errc::internal; }
  void send(channels::composed, steady::time_point, std::function<void(outcome)>) override {}
  std::size_t sends_max() const override { return 1; }
  void stop(steady::time_point) override {}
};

http::or_problem<http::answer> crash(const http::request&, const http::means&) {
  throw std::runtime_error{"OTP-482913 of otp-user@example.com"};
}

http::or_problem<http::answer> crash_oddly(const http::request&, const http::means&) {
  throw 482913;
}

http::or_problem<http::answer> fail(const http::request&, const http::means&) {
  return http::problem_of({errc::internal, "482913"});
}

// `work` goes on in three threads while `meanwhile` happens.
template <class Work, class Meanwhile>
void during(Work&& work, Meanwhile&& meanwhile) {
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; !over; ++n)
        work(std::to_string(i) + "-" + std::to_string(n));
    });
  meanwhile();
  over = true;
  for (auto& thread : threads)
    thread.join();
}

} // namespace

BOOST_AUTO_TEST_SUITE(outage)

BOOST_AUTO_TEST_CASE(a_database_that_stops_is_told_as_503_and_no_answer_lies) {
  own_server server;
  storage::session db{server.settings()};
  add_tenant(db, acme);
  add_user(db, acme, ana, "ana@example.com");

  served api{server.settings(), quick_http()};
  api.bearer = new_key_for(db, acme);
  db.discard();
  BOOST_TEST(api.post_order("before").status == 202);
  std::mutex mutex;
  std::set<std::string> accepted;
  std::set<int> statuses;
  const auto post = [&](const std::string& operation) {
    const auto reply = api.post_order(operation);
    const std::lock_guard guard{mutex};
    statuses.insert(reply.status);
    if (reply.status == 202) accepted.insert(operation);
    if (reply.status != 202 && reply.header("retry-after").empty()) statuses.insert(-1);
  };
  during(post, [&] {
    std::this_thread::sleep_for(500ms);
    server.postgres.stop_immediate();
    std::this_thread::sleep_for(2s);
    BOOST_TEST(api.ask("GET", "/readyz").status == 503);
    BOOST_TEST(api.ask("GET", "/healthz").status == 200);
    BOOST_TEST(api.ask("GET", "/v1/users/ana").code() == "unavailable");
    server.postgres.start();
    for (int i = 0; i < 300 && api.ask("GET", "/readyz").status != 200; ++i)
      std::this_thread::sleep_for(50ms);
    BOOST_TEST(api.ask("GET", "/readyz").status == 200);
    std::this_thread::sleep_for(500ms);
  });
  BOOST_TEST((statuses == std::set<int>{202, 503}));
  BOOST_TEST(accepted.size() > 2u);
  for (const auto& operation : accepted) // P1: what was accepted is there
    BOOST_TEST(api.ask("GET", "/v1/notifications?client_operation_id=" + operation).status == 200,
               operation);
}

// A list has one deadline: what its first hundred waited for in vain is not waited for ten times.
BOOST_AUTO_TEST_CASE(a_list_is_answered_once_its_first_piece_was_in_vain_P3) {
  own_server server;
  { storage::session db{server.settings()}; }
  office_settings rules;
  rules.database = server.settings();
  rules.accept_patience = 1'000ms;
  office staff{rules, all_through(std::make_shared<no_port>()),
               std::make_shared<prometheus::Registry>(), [] {}};
  server.postgres.stop_immediate();
  const auto begun = std::chrono::steady_clock::now();
  const auto answers = staff.submit_all(std::vector<notification>(1'000));
  BOOST_TEST((std::chrono::steady_clock::now() - begun < 5s));
  for (const auto& one : answers)
    BOOST_REQUIRE((one.error() == errc::unavailable));
}

// A thousand wait, told by the SQL door, when the database goes; then it is back, and so is the
// ear.
BOOST_AUTO_TEST_CASE(what_the_sql_door_left_waiting_survives_a_restart_S18) {
  own_server server;
  storage::session db{server.settings()};
  add_tenant(db, acme);
  add_user(db, acme, ana, "ana@example.com");
  const plain_role shop{server.settings().url};
  bind(db, shop);
  served api{server.settings(), quick_http()};
  api.bearer = new_key_for(db, acme);
  const auto listened = [&](int times) {
    return api.ask("GET", "/metrics")
               .text.find("arauto_porter_connections_total " + std::to_string(times) + "\n")
           != std::string::npos;
  };
  const auto await = [](const char* what, const std::function<bool()>& holds) {
    for (int tries = 0; !holds(); ++tries) {
      BOOST_REQUIRE_MESSAGE(tries < 600, "never came: " << what);
      std::this_thread::sleep_for(100ms);
    }
  };
  await("somebody listens", [&] { return listened(1); });
  api.hold_mail();
  {
    pqxx::connection connection{shop.url};
    pqxx::work work{connection};
    for (int n = 0; n < 1'000; ++n)
      notify(work, {"o-" + std::to_string(n)});
    work.commit();
  }
  api.await_mails(1);
  server.postgres.stop_immediate();
  server.postgres.start();
  api.release_mail();
  const auto accepted = [&] {
    pqxx::connection connection{server.settings().url};
    pqxx::nontransaction work{connection};
    return work.exec1("select count(*) from arauto.delivery where state = 'provider_accepted'")[0]
        .as<int>();
  };
  await("all are sent", [&] { return accepted() == 1'000; });
  await("somebody listens again", [&] { return listened(2); });
  const auto begun = std::chrono::steady_clock::now();
  notify_once(shop.url, {"after"});
  await("the next is sent", [&] { return accepted() == 1'001; });
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun;
  BOOST_TEST_MESSAGE("after the restart, told and sent within " << took.count() << " ms");
}

BOOST_AUTO_TEST_CASE(an_unexpected_exception_says_nothing) {
  const std::vector<http::route> table = {
      {"GET", "/crash", http::asks::nothing, http::body_rule::none, false, crash},
      {"GET", "/odd", http::asks::nothing, http::body_rule::none, false, crash_oddly},
      {"GET", "/fail", http::asks::nothing, http::body_rule::none, false, fail},
  };
  storage::database_settings nowhere;
  nowhere.url = "postgresql://127.0.0.1:1/none";
  const auto metrics = std::make_shared<prometheus::Registry>();
  office_settings staff_settings;
  staff_settings.database = nowhere;
  office staff{staff_settings, all_through(std::make_shared<no_port>()), metrics, [] {}};
  storage::pool sessions{nowhere, 1};
  const http_settings limits;
  const storage::seal_ring seals;
  http::service serves{http::means{limits, sessions, staff, *metrics, seals}, table};
  for (const auto* path : {"/crash", "/odd", "/fail"}) {
    http::head asked;
    asked.method = "GET";
    asked.path = path;
    http::call made;
    BOOST_REQUIRE(!serves.admit(asked, made));
    const auto said = serves.run(made, "");
    BOOST_TEST(said.status == 500, path);
    BOOST_TEST(said.body.find("482913") == std::string::npos, path);
    BOOST_TEST(said.body.find("otp-user") == std::string::npos, path);
    BOOST_TEST(said.headers.empty(), path);
  }
  staff.stop(2s);
}

BOOST_AUTO_TEST_SUITE_END()
