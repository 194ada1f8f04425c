// /v1/dead-letters against a whole service on a real PostgreSQL: P2, P3, P5, P6; S16.
#include <boost/test/unit_test.hpp>

#include <future>

#include "http/dead_letters.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using nlohmann::json;

namespace {

constexpr auto in_an_hour = "select to_char((now() + interval '1 hour') at time zone 'utc', "
                            "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";

struct with_dead_letters : running_service {
  // A notification that waits for its hour, ended as if its provider had refused it.
  std::string dead(const std::string& operation, const std::string& more = "") {
    auto body = json::parse(order_body(operation));
    body["send_at"] = value(in_an_hour);
    const auto reply = ask("POST", "/v1/notifications", body.dump());
    BOOST_REQUIRE_MESSAGE(reply.status == 202, reply.text);
    const auto id = reply.body["id"].get<std::string>();
    const auto of = " where event_id = '" + id + "'";
    sql("update arauto.delivery set state = 'leased', lease_owner = event_id, "
        "lease_until = now() + interval '1 hour'"
        + of);
    sql("update arauto.delivery set state = 'permanent_failure', cause = 'refused', "
        "detail = '550 no', attempts = 3, lease_owner = null, lease_until = null, "
        "settled_at = clock_timestamp()"
        + more + of);
    return id;
  }
  http_reply replay(const std::string& id, const std::string& body = {}) const {
    return ask("POST", "/v1/notifications/" + id + "/deliveries/email/replay", body);
  }
  http_reply replay_all(const std::string& body) const {
    return ask("POST", "/v1/dead-letters/replay", body);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(dead_letters_api, with_dead_letters)

BOOST_AUTO_TEST_CASE(a_dead_letter_is_listed_replayed_and_delivered) {
  const auto id = dead("o-1");
  const auto listed = ask("GET", "/v1/dead-letters?cause=refused&type=order.shipped&channel=email");
  BOOST_REQUIRE_MESSAGE(listed.status == 200, listed.text);
  BOOST_REQUIRE_EQUAL(listed.body["data"].size(), 1u);
  const auto& one = listed.body["data"][0];
  BOOST_TEST(one["id"] == id);
  BOOST_TEST(one["channel"] == "email");
  BOOST_TEST(one["type"] == "order.shipped");
  BOOST_TEST(one["user_id"] == "ana");
  BOOST_TEST(one["client_operation_id"] == "o-1");
  BOOST_TEST(one["cause"] == "refused");
  BOOST_TEST(one["detail"] == "550 no");
  BOOST_TEST(one["attempts"] == 3);
  BOOST_TEST(one["doubtful"] == false);
  BOOST_TEST(one["settled_at"].is_string());
  BOOST_TEST(listed.body["next"].is_null());

  const auto made = replay(id);
  BOOST_REQUIRE_MESSAGE(made.status == 200, made.text);
  BOOST_TEST(made.body["state"] == "pending");
  BOOST_TEST(made.body["replayed"] == true);
  const auto told = await_status(id, "completed");
  BOOST_TEST(told["deliveries"][0]["attempts"] == 4); // history goes on
  BOOST_TEST(mails_taken() == 1u);
  const auto again = replay(id); // P2: the same wish again is no second mail
  BOOST_TEST(again.status == 200);
  BOOST_TEST(again.body["replayed"] == false);
  BOOST_TEST(again.body["state"] == "provider_accepted");
  BOOST_TEST(ask("GET", "/v1/dead-letters").body["data"].empty());
}

BOOST_AUTO_TEST_CASE(pages_follow_each_other_by_cursor) {
  for (int n = 0; n < 5; ++n)
    dead("o-" + std::to_string(n));
  std::string met;
  std::string path = "/v1/dead-letters?limit=2";
  for (auto next = path; !next.empty();) {
    const auto page = ask("GET", next);
    BOOST_REQUIRE_MESSAGE(page.status == 200, page.text);
    for (const auto& one : page.body["data"])
      met += one["client_operation_id"].get<std::string>() + " ";
    const auto& cursor = page.body["next"];
    next = cursor.is_null() ? "" : path + "&cursor=" + cursor.get<std::string>();
  }
  BOOST_TEST(met == "o-4 o-3 o-2 o-1 o-0 ");
}

BOOST_AUTO_TEST_CASE(wishes_that_make_no_sense_are_refused) {
  for (const auto* query :
       {"limit=0", "limit=101", "limit=x", "limit=", "cause=A", "cause=", "type=%20", "channel=fax",
        "since=yesterday", "cursor=x", "until=2026-01-01T00:00:00Z", "colour=red",
        "cursor=ffffffffffffffff018900000000700080000000000000000email",
        "cursor=000640000000000001890000000070008000000000000000fax"})
    BOOST_TEST(ask("GET", std::string{"/v1/dead-letters?"} + query).status == 400, query);
  const auto pointer = [&](const std::string& body) {
    const auto no = replay_all(body);
    BOOST_TEST(no.code() == "invalid-request", body);
    return no.body["errors"][0]["pointer"].get<std::string>();
  };
  BOOST_TEST(pointer("{}") == "/all");
  BOOST_TEST(pointer(R"({"all":false})") == "/all");
  BOOST_TEST(pointer(R"({"all":true,"cause":"refused"})") == "/all");
  BOOST_TEST(pointer(R"({"until":"2026-01-01T00:00:00Z"})") == "/all");
  BOOST_TEST(pointer(R"({"cause":7})") == "/cause");
  BOOST_TEST(pointer(R"({"all":true,"limit":0})") == "/limit");
  BOOST_TEST(pointer(R"({"all":true,"limit":10001})") == "/limit");
  BOOST_TEST(pointer(R"({"all":true,"limit":9223372036854775807})") == "/limit");
  BOOST_TEST(pointer(R"({"all":true,"limit":-9223372036854775808})") == "/limit");
  BOOST_TEST(pointer(R"({"all":true,"per_second":"10"})") == "/per_second");
  BOOST_TEST(pointer(R"({"all":true,"per_second":1001})") == "/per_second");
  BOOST_TEST(pointer(R"({"all":true,"force":true})") == "/force");
  BOOST_TEST(replay(dead("o-1"), R"({"even":true})").code() == "invalid-request");
}

BOOST_AUTO_TEST_CASE(a_refused_replay_says_why) {
  const auto refused = [&](const std::string& id, const std::string& body = {}) {
    const auto reply = replay(id, body);
    BOOST_TEST(reply.status == 409);
    return reply.code();
  };
  const auto doubtful = dead("o-1", ", doubts = 1, doubted_at = now()");
  BOOST_TEST(refused(doubtful) == "delivery-doubtful"); // P6
  BOOST_TEST(refused(doubtful, R"({"even_if_doubtful":false})") == "delivery-doubtful");
  BOOST_TEST(replay(doubtful, R"({"even_if_doubtful":true})").status == 200);

  const auto stopped = dead("o-2");
  BOOST_REQUIRE(ask("POST", "/v1/notifications/" + stopped + "/cancel").status == 200);
  BOOST_TEST(refused(stopped, R"({"even_if_doubtful":true})") == "delivery-stopped"); // P5, S16

  await_status(doubtful, "completed");
  const auto done = post_order("o-3").body["id"].get<std::string>();
  await_status(done, "completed");
  const auto alive = replay(done);
  BOOST_TEST(alive.code() == "not-a-dead-letter");
  BOOST_TEST(alive.body["detail"] == "the delivery is provider_accepted");

  const auto erased = dead("o-4");
  BOOST_REQUIRE(ask("DELETE", "/v1/users/ana").status == 204);
  BOOST_TEST(refused(erased) == "notification-erased");
}

BOOST_AUTO_TEST_CASE(unknown_and_foreign_deliveries_look_the_same) { // S06
  const auto id = dead("o-1");
  const auto odd = "/v1/notifications/01890000-0000-7000-8000-000000000000/deliveries/email/replay";
  BOOST_TEST(ask("POST", odd).code() == "not-found");
  const auto path = "/v1/notifications/" + id + "/deliveries/";
  BOOST_TEST(ask("POST", path + "fax/replay").code() == "not-found");
  BOOST_TEST(ask("POST", path + "push/replay").code() == "not-found");
  add_tenant({"zeta"});
  const header_list zeta{{"Authorization", new_key_for(db, {"zeta"})}};
  BOOST_TEST(ask("POST", path + "email/replay", "{}", zeta).code() == "not-found");
  BOOST_TEST(ask("GET", "/v1/dead-letters", {}, zeta).body["data"].empty());
  BOOST_TEST(ask("POST", "/v1/dead-letters/replay", R"({"all":true})", zeta).body["replayed"] == 0);
  BOOST_TEST(to_string(state_of({id})) == "permanent_failure");
}

BOOST_AUTO_TEST_CASE(a_replay_by_filter_says_what_it_did_and_until_when) {
  dead("o-1");
  dead("o-2");
  dead("o-3", ", doubts = 1, doubted_at = now()");
  const auto made = replay_all(R"({"cause":"refused","per_second":1000})");
  BOOST_REQUIRE_MESSAGE(made.status == 200, made.text);
  BOOST_TEST(made.body["replayed"] == 2);
  BOOST_TEST(made.body["skipped"] == json({{"doubtful", 1}, {"stopped", 0}, {"erased", 0}}));
  BOOST_TEST(made.body["last_due_at"].is_string());
  BOOST_TEST(made.body["next"].is_null());
  await_mails(2);
  const auto none = replay_all(R"({"since":"2020-01-01T00:00:00+02:00"})");
  BOOST_TEST(none.body["replayed"] == 0);
  BOOST_TEST(none.body["last_due_at"].is_null());
}

BOOST_AUTO_TEST_CASE(a_replay_by_filter_goes_on_where_it_stopped) {
  for (const auto* operation : {"o-1", "o-2", "o-3"})
    dead(operation);
  const auto first = replay_all(R"({"all":true,"limit":2,"per_second":1000})");
  BOOST_TEST(first.body["replayed"] == 2);
  BOOST_REQUIRE_MESSAGE(first.body["next"].is_string(), first.text);
  json again = {{"all", true}, {"cursor", first.body["next"]}};
  const auto second = replay_all(again.dump());
  BOOST_TEST(second.body["replayed"] == 1);
  BOOST_TEST(second.body["next"].is_null());
  again["cursor"] = "x";
  BOOST_TEST(replay_all(again.dump()).status == 400);
}

BOOST_AUTO_TEST_CASE(parallel_replays_by_filter_send_each_dead_letter_once) { // P2, P3
  constexpr std::size_t count = 40;
  for (std::size_t n = 0; n < count; ++n)
    dead("o-" + std::to_string(n));
  std::vector<std::future<int>> askers;
  for (int n = 0; n < 4; ++n)
    askers.push_back(std::async(std::launch::async, [&] {
      return replay_all(R"({"all":true,"per_second":1000})").body["replayed"].get<int>();
    }));
  int replayed = 0;
  for (auto& asker : askers)
    replayed += asker.get();
  BOOST_TEST(replayed == static_cast<int>(count));
  await_mails(count);
  while (value("select count(*) from arauto.delivery where settled_at is null") != "0")
    std::this_thread::yield();
  BOOST_TEST(mails_taken() == count);
}

BOOST_AUTO_TEST_CASE(a_cursor_is_read_as_it_was_written_and_no_other_way) {
  const storage::dead_letter_place place{"2026-03-01T08:15:00.000001Z",
                                         {{"01890000-0000-7000-8000-000000000000"}, channel::push}};
  const auto cursor = http::written_cursor(place);
  const auto read = http::read_cursor(cursor);
  BOOST_REQUIRE(read);
  BOOST_TEST(read->settled_at == place.settled_at);
  BOOST_TEST((read->key == place.key));
  for (std::size_t n = 0; n < cursor.size(); ++n)
    BOOST_TEST(!http::read_cursor(cursor.substr(0, n)), n);
  BOOST_TEST(!http::read_cursor(cursor + "x"));
}

BOOST_AUTO_TEST_SUITE_END()
