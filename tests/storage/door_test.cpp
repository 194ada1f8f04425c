// The SQL door: a notification and the application's own data commit together or not at all (P1,
// P2). Field cases S10, S17.
#include <boost/test/unit_test.hpp>

#include <fstream>
#include <future>

#include "storage/door.hpp"
#include "storage/schema.hpp"
#include "storage/sql/statements.hpp"
#include "tests/support/crossing.hpp"
#include "tests/support/shop.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(sql_door)

BOOST_FIXTURE_TEST_CASE(a_commit_leaves_what_an_accept_leaves, shop) {
  const auto id = notify_one({"o-1"});
  BOOST_TEST(
      value("select state || ' ' || lease_token from arauto.delivery where event_id = '" + id + "'")
      == "pending 0");
  BOOST_TEST(value("select tenant_id || ' ' || variables from arauto.event where id = '" + id + "'")
             == R"(acme {"order":"A-1"})");
  BOOST_TEST(id[14] == '7'); // UUIDv7, of this moment
  const auto age = value("select abs(extract(epoch from now()) - ('x' || substr(replace('" + id
                         + "', '-', ''), 1, 12))::bit(48)::bigint / 1000.0) < 60");
  BOOST_TEST(age == "t");
  const auto held = claim_one();
  BOOST_TEST(held.key.event.text == id);
  settle_accepted(held);
}

BOOST_FIXTURE_TEST_CASE(a_rollback_leaves_nothing, shop) {
  {
    pqxx::connection connection{role.url};
    pqxx::work work{connection};
    notify(work, {"o-1"});
    work.abort();
  }
  for (const auto* table : {"event", "delivery", "outbox", "attempt"})
    BOOST_TEST(value(std::string{"select count(*) from arauto."} + table) == "0", table);
  notify_one({"o-1"}); // and the operation id is free
}

BOOST_FIXTURE_TEST_CASE(it_decides_by_the_very_text_of_the_other_door, shop) {
  BOOST_TEST(value("select prosrc from pg_proc where proname = 'accept_items'")
                 .find(storage::sql::accept.text)
             != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(one_operation_in_one_transaction_is_one_event_P2, shop) {
  pqxx::connection connection{role.url};
  pqxx::work work{connection};
  const auto id = notify(work, {"o-1"});
  BOOST_TEST(notify(work, {"o-1"}) == id);
  BOOST_TEST(notify(work, {"o-1", R"( { "order" : "\u0041-1" } )"}) == id);
  work.commit();
  BOOST_TEST(notify_one({"o-1"}) == id);
  BOOST_TEST(value("select count(*) from arauto.event") == "1");
}

struct wrong_call {
  std::string state;
  std::string says; // of the message
  call what;
};

call with(const std::function<void(call&)>& change) {
  call made{"wrong"};
  change(made);
  return made;
}

std::vector<wrong_call> wrong_calls() {
  const auto variables = [](const std::string& text) {
    return with([&](call& c) { c.variables = text; });
  };
  const std::string deep = std::string(31, '[') + std::string(31, ']');
  return {
      {"AR002", "user_id: 1 to 255", with([](call& c) { c.user = ""; })},
      {"AR002", "user_id: 1 to 255", with([](call& c) { c.user = std::string(256, 'u'); })},
      {"AR002", "user_id: control", with([](call& c) { c.user = "a\nb"; })},
      {"AR002", "user_id: control", with([](call& c) { c.user = "a\u0085b"; })},
      {"AR002", "user_id: control", with([](call& c) { c.user = "a\u2028b"; })},
      {"AR002", "type: 1 to 128", with([](call& c) { c.type = "order shipped"; })},
      {"AR002", "type: 1 to 128", with([](call& c) { c.type = std::string(129, 't'); })},
      {"AR002", "client_operation_id: 1 to 255", with([](call& c) { c.operation = ""; })},
      {"AR002", "client_operation_id: blanks", with([](call& c) { c.operation = "  "; })},
      {"AR002", "variables: an object", variables("[1]")},
      {"AR002", "variables: a member is given twice", variables(R"({"a":[{"b":1,"\u0062":2}]})")},
      {"AR002", "variables: deeper", variables(R"({"a":)" + deep + "}")},
      {"AR002", "variables: a number", variables(R"({"a":1e1000})")},
      {"AR002", "variables: a number", variables(R"({"a":-1.8e308})")},
      {"AR002", "variables: a number", variables(R"({"a":0.)" + std::string(63, '1') + "}")},
      {"AR002", "variables: U+0000", variables(R"({"a":"\u0000"})")},
      {"AR002", "variables: U+0000", variables(R"({"a":"\ud800"})")},
      {"AR011", "variables: at most", variables("{\"a\":\"" + std::string(65'529, 'x') + "\"}")},
      {"AR011", "variables: at most", variables("{" + std::string(262'144, ' ') + "}")},
      {"AR002", "channels: a list", with([](call& c) { c.channels = "{}"; })},
      {"AR002", "channels: a list", with([](call& c) { c.channels = "{{email},{push}}"; })},
      {"AR002", "channels: a channel repeats", with([](call& c) { c.channels = "{email,email}"; })},
      {"AR007", "channels: this channel", with([](call& c) { c.channels = "{email,pigeon}"; })},
      {"AR007", "channels: this channel", with([](call& c) { c.channels = "{null}"; })},
      {"AR002", "priority: normal", with([](call& c) { c.priority = "high"; })},
      {"AR002", "send_at: a time", with([](call& c) { c.send_at = "infinity"; })},
      {"AR002", "expires_at: a time", with([](call& c) { c.expires_at = "1969-01-01"; })},
      {"AR010", "send_at: at most 90", with([](call& c) { c.send_at = "9999-01-01"; })},
      {"AR010", "expires_at: must come",
       with([](call& c) { c.send_at = c.expires_at = "2001-01-01"; })},
      {"AR010", "expires_at: this time", with([](call& c) { c.expires_at = "2001-01-01"; })},
      {"AR006", "user_id: this user", with([](call& c) { c.user = "nobody"; })},
      {"AR008", "type: no template", with([](call& c) { c.type = "no.such"; })},
      {"AR008", "channels: no template", with([](call& c) { c.channels = "{push}"; })},
      {"AR009", "variables: the template needs the variable order", variables("{}")},
      {"AR005", "client_operation_id: this operation",
       with([](call& c) { c.operation = "taken", c.variables = R"({"order":"B"})"; })},
  };
}

BOOST_FIXTURE_TEST_CASE(each_refusal_has_its_code_its_argument_and_a_hint, shop) {
  notify_one({"taken"});
  for (const auto& one : wrong_calls()) {
    const auto said = refused(one.what);
    BOOST_TEST(said.state == one.state, one.says << " got " << said.text);
    BOOST_TEST(said.text.find("arauto.notify: " + one.says) != std::string::npos, said.text);
    BOOST_TEST(said.text.find("HINT:") != std::string::npos, said.text);
    BOOST_TEST(said.text.find("DETAIL:") == std::string::npos, said.text);
  }
  BOOST_TEST(value("select count(*) from arauto.event") == "1");
}

BOOST_FIXTURE_TEST_CASE(what_just_fits_is_taken, shop) {
  const std::string deep = std::string(30, '[') + std::string(30, ']');
  int operation = 0;
  for (const auto& variables :
       std::vector<std::string>{R"({"order":1,"a":)" + deep + "}", R"({"order":1e308})",
                                R"({"order":-1.7e308,"b":1e-999,"c":)" + std::string(64, '1') + "}",
                                "{\"order\":\"" + std::string(65'524, 'x') + "\"}",
                                R"({"order":"\u00e9\ud83d\ude00 \" \\ \/","":{"":""}})"})
    notify_one({"fits-" + std::to_string(++operation), variables});
  notify_one({std::string(255, 'o')});
}

BOOST_FIXTURE_TEST_CASE(no_refusal_quotes_what_came_in_P10, shop) {
  const std::string canary = "Canary7";
  notify_one({"taken" + canary});
  const auto conflict = with([&](call& c) {
    c.operation = "taken" + canary;
    c.variables = R"({"order":"B"})";
  });
  const auto unknown = with([&](call& c) { c.user = canary; });
  const auto untold = with([&](call& c) { c.type = canary; });
  const auto broken = with([&](call& c) { c.variables = R"({"Canary7":"Canary7\u0000"})"; });
  for (const auto& one : {conflict, unknown, untold, broken})
    BOOST_TEST(refused(one).text.find(canary) == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_stopped_tenant_is_refused_and_so_is_who_is_not_bound, shop) {
  sql("update arauto.tenant set status = 'stopped' where id = 'acme'");
  BOOST_TEST(refused({"o-1"}).state == "AR004");
  sql("update arauto.tenant set status = 'active' where id = 'acme'");
  sql("delete from arauto.door"); // the rights are still there
  BOOST_TEST(refused({"o-1"}).state == "AR003");
}

// -- many at once ------------------------------------------------------------------------------

struct crossing_shop : crossing {
  crossing_shop() { bind(db, role); }
  plain_role role{url};
};

BOOST_FIXTURE_TEST_CASE(who_meets_an_open_transaction_waits_and_gets_its_id_S10, crossing_shop) {
  pqxx::connection first{role.url};
  pqxx::work open{first};
  const auto id = notify(open, {"o-1"});
  // The other door does not wait: 503 operation-in-progress.
  const auto asked = storage::accept(db, {order_shipped("o-1")}, node, lease_length);
  BOOST_TEST((asked.error() == errc::busy));
  auto second = std::async(std::launch::async, [&] { return notify_once(role.url, {"o-1"}); });
  until_waiting(1);
  open.commit();
  BOOST_TEST(second.get() == id);
  const auto replayed = accept_one(order_shipped("o-1"));
  BOOST_TEST((replayed.verdict == acceptance::replayed));
  BOOST_TEST(replayed.id.text == id);
}

BOOST_FIXTURE_TEST_CASE(who_waited_for_a_rollback_makes_the_event, crossing_shop) {
  pqxx::connection first{role.url};
  pqxx::work open{first};
  const auto id = notify(open, {"o-1"});
  auto second = std::async(std::launch::async, [&] { return notify_once(role.url, {"o-1"}); });
  until_waiting(1);
  open.abort();
  BOOST_TEST(second.get() != id);
  BOOST_TEST(value("select count(*) from arauto.event") == "1");
}

BOOST_FIXTURE_TEST_CASE(a_caller_with_an_old_snapshot_is_told_to_run_again, crossing_shop) {
  int operation = 0;
  for (const auto* level : {"repeatable read", "serializable"}) {
    const auto name = "o-" + std::to_string(++operation);
    pqxx::connection connection{role.url};
    pqxx::nontransaction old{connection};
    old.exec(std::string{"begin isolation level "} + level
             + "; select count(*) from arauto.waiting");
    notify_once(role.url, {name});
    BOOST_CHECK_THROW(notify(old, {name}), pqxx::serialization_failure);
    old.exec(std::string{"rollback; begin isolation level "} + level);
    notify(old, {name}); // run again, it sees the other's
    notify(old, {name + "-mine"});
    BOOST_TEST(notify(old, {name + "-mine"}).size() == 36);
    old.exec("commit");
  }
  BOOST_TEST(value("select count(*) from arauto.event") == "4");
}

// Kilobytes of the server process that are its own.
long own_memory_kb(pqxx::connection& of) {
  std::ifstream status{"/proc/" + std::to_string(of.backendpid()) + "/status"};
  for (std::string line; std::getline(status, line);)
    if (line.rfind("RssAnon:", 0) == 0) return std::stol(line.substr(8));
  return -1;
}

BOOST_FIXTURE_TEST_CASE(ten_thousand_in_one_transaction_stay_within_bounds_P9, shop) {
  pqxx::connection connection{role.url};
  pqxx::work work{connection};
  connection.prepare("one",
                     "select arauto.notify('ana', 'order.shipped', '{\"order\":\"A-1\"}', $1)");
  const auto some = [&](int from, int to) {
    for (int n = from; n < to; ++n)
      work.exec_prepared("one", "o-" + std::to_string(n));
  };
  const auto begun = std::chrono::steady_clock::now();
  some(0, 1'000);
  const auto warm = own_memory_kb(connection);
  some(1'000, 10'000);
  const auto full = own_memory_kb(connection);
  work.exec("select count(arauto.notify('ana', 'order.shipped', '{\"order\":\"A-1\"}', 's-' || i)) "
            "from generate_series(1, 2000) i");
  const auto after_one_statement = own_memory_kb(connection);
  work.commit();
  const auto took = std::chrono::steady_clock::now() - begun;
  BOOST_TEST_MESSAGE("server process: " << warm << " kB after 1,000 calls, " << full
                                        << " after 10,000, " << after_one_statement
                                        << " after 2,000 more in one statement; "
                                        << std::chrono::duration<double>(took).count() << " s");
  BOOST_TEST(warm > 0);
  BOOST_TEST(full - warm < 16 * 1'024);
  BOOST_TEST(after_one_statement - full < 16 * 1'024);
  BOOST_TEST(value("select count(*) from arauto.delivery where state = 'pending'") == "12000");
}

// -- what is heard -----------------------------------------------------------------------------

struct all_heard : pqxx::notification_receiver {
  explicit all_heard(pqxx::connection_base& to) : notification_receiver{to, "arauto_due"} {}
  void operator()(const std::string& payload, int) override { payloads.push_back(payload); }
  std::vector<std::string> payloads;
};

BOOST_FIXTURE_TEST_CASE(variables_never_reach_the_payload_however_large_they_are_S17, shop) {
  std::string controls, emoji;
  for (int n = 0; n < 3'000; ++n)
    controls += "\\u0001";
  for (int n = 0; n < 2'000; ++n)
    emoji += "\U0001F600";
  pqxx::connection ear{url};
  all_heard all{ear};
  int operation = 0;
  for (const auto& text : {emoji, std::string(60'000, 'x'), controls})
    notify_one({"o-" + std::to_string(++operation), R"({"order":")" + text + "\"}"});
  while (all.payloads.size() < 3)
    ear.await_notification();
  for (const auto& payload : all.payloads)
    BOOST_TEST(payload == "acme");
}

BOOST_FIXTURE_TEST_CASE(only_what_can_be_done_now_is_said_and_only_once_a_transaction, shop) {
  pqxx::connection ear{url};
  all_heard all{ear};
  const auto count_after = [&] { // what was committed before this was said before it
    sql("notify arauto_due, 'end'");
    while (all.payloads.empty() || all.payloads.back() != "end")
      ear.await_notification();
    return std::exchange(all.payloads, {}).size() - 1;
  };
  {
    pqxx::connection connection{role.url};
    pqxx::work work{connection};
    notify(work, {"o-1"});
    notify(work, {"o-2"});
    work.commit();
  }
  BOOST_TEST(count_after() == 1U);
  notify_one({"o-1"}); // a replay
  notify_one(with([](call& c) { c.operation = "later", c.send_at = "tomorrow"; }));
  BOOST_TEST(count_after() == 0U);
  storage::door_view quiet{role.name, acme, false, {}, true};
  BOOST_REQUIRE(storage::bind_door(db, quiet, a_test));
  notify_one({"o-3"});
  BOOST_TEST(count_after() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
