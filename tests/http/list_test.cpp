// Lists, batches and usage over HTTP: pages, cursors that are not ours, each item on its own.
#include <chrono>
#include <memory>

#include <boost/test/unit_test.hpp>

#include "http/notification_list.hpp"
#include "http/service.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using nlohmann::json;

namespace {

struct lister : running_service {
  json page(const std::string& query) const {
    const auto reply = ask("GET", "/v1/notifications" + query);
    BOOST_REQUIRE_MESSAGE(reply.status == 200, reply.text);
    return reply.body;
  }
  http_reply batch(const json& items) const {
    return ask("POST", "/v1/notifications/batch", json{{"notifications", items}}.dump());
  }
};

std::string operations(const json& page) {
  std::string names;
  for (const auto& one : page["data"])
    names += one["client_operation_id"].get<std::string>() + " ";
  return names;
}

json order(const std::string& operation) {
  return json::parse(order_body(operation));
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(lists, lister)

BOOST_AUTO_TEST_CASE(pages_lead_on_and_back) {
  for (const auto* operation : {"o-1", "o-2", "o-3"})
    post_order(operation);
  const auto first = page("?limit=2");
  BOOST_TEST(operations(first) == "o-3 o-2 ");
  BOOST_TEST(first["prev"].is_null());
  BOOST_TEST(first["data"][0]["deliveries"][0]["channel"] == "email");
  const auto second = page("?limit=2&cursor=" + first["next"].get<std::string>());
  BOOST_TEST(operations(second) == "o-1 ");
  BOOST_TEST(second["next"].is_null());
  const auto back = page("?limit=2&cursor=" + second["prev"].get<std::string>());
  BOOST_TEST(operations(back) == operations(first));
  BOOST_TEST(operations(page("?user_id=ana&type=order.shipped&channel=email&limit=1")) == "o-3 ");
  BOOST_TEST(operations(page("?user_id=bo")).empty());
  BOOST_TEST(operations(page("?since=2020-01-01T00:00:00%2B02:00")) == "o-3 o-2 o-1 ");
  BOOST_TEST(operations(page("?since=9999-01-01T00:00:00Z")).empty());
}

BOOST_AUTO_TEST_CASE(what_no_page_can_be_asked_with_is_refused) {
  for (const auto* query :
       {"?limit=0", "?limit=101", "?limit=x", "?limit=", "?cursor=", "?cursor=x", "?state=sent",
        "?channel=sms", "?since=yesterday", "?type=a%20b", "?user_id=", "?user_id=%FF",
        "?cursor=o0189000000007000800000000000000", "?cursor=p01890000000070008000000000000000",
        "?cursor=o01890000000070008000000000000000x", "?offset=1"}) {
    const auto reply = ask("GET", std::string{"/v1/notifications"} + query);
    BOOST_TEST(reply.status == 400, query);
    BOOST_TEST(reply.code() == "invalid-request", query);
  }
  // A place nobody was at is a place all the same.
  BOOST_TEST(page("?cursor=o01890000000070008000000000000000")["data"].empty());
}

BOOST_AUTO_TEST_CASE(a_cursor_is_read_as_it_was_written) {
  for (const bool newer : {false, true}) {
    const storage::event_place place{{"01890000-0000-7000-8000-000000000000"}, newer};
    const auto cursor = http::written_event_cursor(place);
    const auto read = http::read_event_cursor(cursor);
    BOOST_REQUIRE(read);
    BOOST_TEST(read->event.text == place.event.text);
    BOOST_TEST(read->towards_now == newer);
    for (std::size_t n = 0; n < cursor.size(); ++n)
      BOOST_TEST(!http::read_event_cursor(cursor.substr(0, n)), n);
  }
}

BOOST_AUTO_TEST_CASE(each_of_a_batch_is_answered_on_its_own) { // P1, P2
  const auto known = post_order("known").body["id"];
  auto stranger = order("stranger");
  stranger["user_id"] = "nobody";
  auto other = order("known");
  other["priority"] = "urgent";
  const auto reply =
      batch({order("o-1"), order("known"), other, stranger, {{"type", 1}}, 7, order("o-1")});
  BOOST_REQUIRE_MESSAGE(reply.status == 200, reply.text);
  const auto& results = reply.body["results"];
  BOOST_REQUIRE(results.size() == 7u);
  std::string statuses;
  for (std::size_t n = 0; n < results.size(); ++n) {
    BOOST_TEST(results[n]["index"] == n);
    statuses += std::to_string(results[n]["status"].get<int>()) + " ";
  }
  BOOST_TEST(statuses == "202 202 409 422 400 400 202 ");
  BOOST_TEST(results[1]["id"] == known);
  BOOST_TEST(results[1]["replayed"] == true);
  BOOST_TEST(results[2]["problem"]["code"] == "idempotency-conflict");
  BOOST_TEST(results[3]["problem"]["errors"][0]["pointer"] == "/user_id");
  BOOST_TEST(results[4]["problem"]["errors"].size() == 3u);
  BOOST_TEST(results[6]["id"] == results[0]["id"]);
  BOOST_TEST(value("select count(*) from arauto.event") == "2");
  await_status(results[0]["id"].get<std::string>(), "completed");
}

BOOST_AUTO_TEST_CASE(a_batch_that_is_none_is_refused_whole) {
  const auto refused = [&](const std::string& body) {
    const auto reply = ask("POST", "/v1/notifications/batch", body);
    return std::to_string(reply.status) + " " + reply.code();
  };
  BOOST_TEST(refused("{}") == "400 invalid-request");
  BOOST_TEST(refused(R"({"notifications":[]})") == "400 invalid-request");
  BOOST_TEST(refused(R"({"notifications":{}})") == "400 invalid-request");
  BOOST_TEST(refused(R"({"notifications":[{"user_id":"a","user_id":"b"}]})")
             == "400 invalid-json"); // S07
  BOOST_TEST(refused(json{{"notifications", std::vector<int>(1'001, 1)}}.dump())
             == "400 invalid-request");
  BOOST_TEST(batch(std::vector<int>(1'000, 1)).body["results"].size() == 1'000u);
}

// P9: 8 MiB of the smallest objects are given up long before they are a document of 300 MB.
BOOST_AUTO_TEST_CASE(a_batch_of_too_many_values_is_given_up_while_it_is_read) {
  const auto many = [&](std::size_t bytes) {
    std::string body = "{\"notifications\":[{}";
    while (body.size() < bytes - 8)
      body += ",{}";
    return ask("POST", "/v1/notifications/batch", body + "]}");
  };
  for (const std::size_t bytes : {std::size_t{8'388'608}, std::size_t{262'144}}) {
    const auto refused = many(bytes);
    BOOST_TEST(refused.status == 400);
    BOOST_TEST(refused.code() == "invalid-json");
    BOOST_TEST(refused.body["errors"][0]["pointer"] == "/notifications/16000");
    BOOST_TEST(refused.body["errors"][0]["detail"] == "more than 16002 values");
  }
  // What every item may say, 1,000 times.
  json full = json::array();
  for (int n = 0; n < 1'000; ++n) {
    auto one = order("o-" + std::to_string(n));
    one["user_id"] = "nobody";
    one["channels"] = {"email", "push"};
    one["priority"] = "normal";
    one["send_at"] = "2026-01-01T00:00:00Z";
    one["expires_at"] = "2037-01-01T00:00:00Z";
    full.push_back(std::move(one));
  }
  const auto told = batch(full);
  BOOST_REQUIRE_MESSAGE(told.status == 200, told.text);
  BOOST_TEST(told.body["results"][999]["status"] == 422);
}

// The same depth of variables alone and in a batch; one too large is refused alone.
BOOST_AUTO_TEST_CASE(variables_obey_the_same_bounds_in_a_batch) {
  const auto of = [&](std::size_t depth, const std::string& operation) {
    return R"({"user_id":"nobody","type":"order_confirmed","client_operation_id":")" + operation
           + R"(","variables":{"a":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']')
           + "}}";
  };
  const auto list = [](const std::string& one) { return "{\"notifications\":[" + one + "]}"; };
  const auto code = [&](const char* path, const std::string& body) {
    return ask("POST", path, body).code();
  };
  BOOST_TEST(code("/v1/notifications", of(31, "o-1")) == "unknown-user");
  BOOST_TEST(code("/v1/notifications", of(32, "o-1")) == "invalid-json");
  BOOST_TEST(ask("POST", "/v1/notifications/batch", list(of(31, "o-1"))).status == 200);
  BOOST_TEST(code("/v1/notifications/batch", list(of(32, "o-1"))) == "invalid-json");
  auto large = order("o-2");
  large["variables"]["padding"] = std::string(300'000, 'x');
  const auto told = batch(json::array({large, order("o-3")}));
  BOOST_REQUIRE_MESSAGE(told.status == 200, told.text);
  BOOST_TEST(told.body["results"][0]["status"] == 413);
  BOOST_TEST(told.body["results"][1]["status"] == 202);
}

BOOST_AUTO_TEST_CASE(only_a_batch_may_be_large) {
  auto one = order("o-1");
  one["variables"]["padding"] = std::string(60'000, 'x');
  json many = json::array();
  for (int n = 0; n < 100; ++n) {
    one["client_operation_id"] = "o-" + std::to_string(n);
    many.push_back(one);
  }
  const auto reply = batch(many); // six million bytes
  BOOST_REQUIRE_MESSAGE(reply.status == 200, reply.text);
  BOOST_TEST(reply.body["results"][99]["status"] == 202);
  BOOST_TEST(ask("POST", "/v1/notifications", std::string(262'145, ' ')).status == 413);
  BOOST_TEST(ask("POST", "/v1/notifications/batch", std::string(8'388'609, ' ')).status == 413);
  BOOST_TEST(ask("POST", "/v1/notifications", std::string(262'144, ' ')).status == 400);
}

// Large bodies are few at a time, and a place is free again when its request is gone.
BOOST_AUTO_TEST_CASE(large_bodies_take_seats) {
  const auto head = "POST /v1/notifications/batch HTTP/1.1\r\nHost: x\r\nContent-Type: "
                    "application/json\r\nExpect: 100-continue\r\nAuthorization: "
                    + bearer + "\r\nContent-Length: ";
  const auto large = [&] {
    return ask("POST", "/v1/notifications/batch", std::string(262'145, ' '));
  };
  {
    std::vector<std::unique_ptr<raw_client>> holders;
    const auto hold = [&](std::size_t bytes) {
      holders.push_back(std::make_unique<raw_client>(port()));
      BOOST_REQUIRE(holders.back()->send(head + std::to_string(bytes) + "\r\n\r\n"));
      BOOST_REQUIRE(holders.back()->read().status == 100);
    };
    for (std::size_t n = 0; n < 8; ++n)
      hold(262'144); // as large as any body: no seat
    BOOST_TEST(large().status == 400);
    for (std::size_t n = 0; n < 2; ++n)
      hold(262'145);
    const auto refused = large();
    BOOST_TEST(refused.status == 503);
    BOOST_TEST(refused.code() == "overloaded");
    BOOST_TEST(!refused.header("retry-after").empty());
    BOOST_TEST(batch(json::array({order("o-1")})).status == 200);
    BOOST_TEST(post_order("o-2").status == 202);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  auto again = large();
  while (again.status == 503 && std::chrono::steady_clock::now() < end) // the server sees them go
    again = large();
  BOOST_TEST(again.status == 400, again.text);
}

BOOST_AUTO_TEST_CASE(seats_are_for_all_and_few_for_one_tenant) { // P8
  http::seats of;
  const tenant_id greedy{"greedy"}, other{"other"}, third{"third"};
  BOOST_TEST((of.take(greedy, 3, 2) && of.take(greedy, 3, 2)));
  BOOST_TEST(!of.take(greedy, 3, 2));
  BOOST_TEST(of.take(other, 3, 2));
  BOOST_TEST(!of.take(third, 3, 2));
  of.give_back(greedy);
  BOOST_TEST(of.take(third, 3, 2));
  BOOST_TEST(!of.take(greedy, 3, 2));
  of.give_back(third);
  BOOST_TEST(of.take(greedy, 3, 2));
}

BOOST_AUTO_TEST_CASE(usage_tells_what_waits_and_what_holds) {
  const auto before = ask("GET", "/v1/usage");
  BOOST_REQUIRE_MESSAGE(before.status == 200, before.text);
  BOOST_TEST(before.body["today"]["notifications"] == 0);
  post_order("o-1");
  sql("update arauto.delivery set state = 'retry_wait', lease_owner = null, lease_until = null, "
      "begun_at = null, settled_at = null, next_attempt_at = now() + interval '1 hour' where state "
      "= 'leased'");
  sql("insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, "
      "next_attempt_at) select id, 'push', tenant_id, user_id, 0, 'pending', now() - interval '9 "
      "seconds' from arauto.event");
  const auto told = ask("GET", "/v1/usage").body;
  BOOST_TEST(told["today"]["notifications"] == 1);
  BOOST_TEST(told["limits"]["batch_notifications"] == 1'000);
  BOOST_REQUIRE(told["backlog"]["waiting"].size() == 4u);
  const auto& urgent_push = told["backlog"]["waiting"][2];
  BOOST_TEST(urgent_push["channel"] == "push");
  BOOST_TEST(urgent_push["priority"] == "urgent");
  BOOST_TEST(urgent_push["due"] == 1);
  BOOST_TEST(urgent_push["lag_s"].get<double>() >= 9.0);
  BOOST_TEST(urgent_push["oldest_due_at"].is_string());
  BOOST_TEST(told["backlog"]["waiting"][0]["oldest_due_at"].is_null());
}

BOOST_AUTO_TEST_SUITE_END()
