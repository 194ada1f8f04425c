// The contract of design 6 against a whole service on a real PostgreSQL (P1, P5; S04, S05).
#include <boost/test/unit_test.hpp>

#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using nlohmann::json;

namespace {

std::string place(const http_reply& reply, const char* pointer) {
  const json::json_pointer at{pointer};
  return reply.body.contains(at) ? reply.body.at(at).dump() : "absent";
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(api, running_service)

BOOST_AUTO_TEST_CASE(an_accepted_notification_is_committed_delivered_and_told) {
  const auto reply = post_order("o-1");
  BOOST_REQUIRE_MESSAGE(reply.status == 202, reply.text);
  const auto id = reply.body["id"].get<std::string>();
  BOOST_TEST(reply.header("location") == "/v1/notifications/" + id);
  BOOST_TEST(reply.header("idempotent-replayed").empty());
  BOOST_TEST(reply.header("content-type") == "application/json");
  BOOST_TEST(reply.header("x-request-id").size() == 36u);
  BOOST_TEST(place(reply, "/deliveries/0/channel") == "\"email\"");
  BOOST_TEST(value("select count(*) from arauto.event") == "1"); // P1

  const auto told = await_status(id, "completed");
  BOOST_TEST(told["user_id"] == "ana");
  BOOST_TEST(told["client_operation_id"] == "o-1");
  BOOST_TEST(told["priority"] == "normal");
  BOOST_TEST(!told.contains("variables"));
  const auto& delivery = told["deliveries"][0];
  BOOST_TEST(delivery["state"] == "provider_accepted");
  BOOST_TEST(delivery["attempts"] == 1);
  BOOST_TEST(delivery["provider_ref"] == "test-ref");
  BOOST_TEST(delivery["trail"][0]["outcome"] == "accepted");
  BOOST_TEST(mails_taken() == 1u);
}

BOOST_AUTO_TEST_CASE(a_notification_is_found_by_its_operation_id) {
  const auto id = post_order("caf\xc3\xa9 +1").body["id"];
  BOOST_TEST(ask("GET", "/v1/notifications?client_operation_id=caf%C3%A9+%2B1").body["id"] == id);
  BOOST_TEST(ask("GET", "/v1/notifications?client_operation_id=x").status == 404);
  BOOST_TEST(ask("GET", "/v1/notifications?client_operation_id=%00").status == 404);
  BOOST_TEST(ask("GET", "/v1/notifications?client_operation_id=%FF").status == 404);
  BOOST_TEST(ask("GET", "/v1/notifications?client_operation_id=x&limit=1").status == 400);
  BOOST_TEST(ask("GET", "/v1/notifications?colour=red").status == 400);
}

BOOST_AUTO_TEST_CASE(refusals_of_the_ledger_name_their_cause) {
  auto body = json::parse(order_body("o-1"));
  const auto refused = [&](const char* member, const json& value, const char* pointer) {
    auto changed = body;
    changed[member] = value;
    const auto reply = ask("POST", "/v1/notifications", changed.dump());
    BOOST_TEST(reply.header("content-type") == "application/problem+json");
    BOOST_TEST(reply.body["request_id"] == reply.header("x-request-id"));
    BOOST_TEST(place(reply, "/errors/0/pointer") == json(pointer).dump());
    return reply.code();
  };
  BOOST_TEST(refused("user_id", "nobody", "/user_id") == "unknown-user");
  BOOST_TEST(refused("type", "no.such", "/type") == "no-template");
  BOOST_TEST(refused("channels", {"email", "push"}, "/channels") == "no-template");
  BOOST_TEST(refused("channels", {"fax"}, "/channels/0") == "unknown-channel");
  BOOST_TEST(refused("variables", json::object(), "/variables/order") == "missing-variable");
  BOOST_TEST(refused("expires_at", "2020-01-01T00:00:00Z", "/expires_at") == "invalid-time");
  BOOST_TEST(value("select count(*) from arauto.event") == "0");
  BOOST_TEST(post_order("o-1").status == 202); // S11: a refusal burns no id
}

BOOST_AUTO_TEST_CASE(odd_paths_and_ids_look_like_unknown_ones) { // S04
  const auto id = post_order("o-1").body["id"].get<std::string>();
  const auto upper = [](std::string text) {
    for (auto& c : text)
      c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
  };
  for (const auto& odd :
       {std::string{"not-a-uuid"}, id.substr(0, 35), std::string{"%00"}, id + "%00",
        id + "%2Fextra", std::string{"..%2F.."}, id + "/", "%7B" + upper(id) + "%7D", upper(id),
        std::string{"%u0041"}, std::string{}, std::string(2000, 'a'),
        std::string{"01890000-0000-7000-8000-000000000000"}}) {
    const auto got = ask("GET", "/v1/notifications/" + odd);
    BOOST_TEST(got.code() == "not-found", odd);
    BOOST_TEST(ask("POST", "/v1/notifications/" + odd + "/cancel").code() == "not-found", odd);
  }
  BOOST_TEST(ask("GET", "/v1/users/" + std::string(4096, 'a')).code() == "target-too-long");
  BOOST_TEST(ask("GET", "/v1/users/%00").code() == "not-found");
  BOOST_TEST(ask("GET", "/v1/users/%FF/preferences").code() == "not-found");
  BOOST_TEST(ask("PUT", "/v1/users/%0A", "{}").status == 400);
}

BOOST_AUTO_TEST_CASE(known_paths_say_which_methods_they_know) {
  const auto wrong = ask("DELETE", "/v1/notifications");
  BOOST_TEST(wrong.status == 405);
  BOOST_TEST(wrong.header("allow") == "POST, GET, HEAD, OPTIONS");
  for (const auto* key : {"", "Bearer nonsense"}) { // who may not call it may know it: it is public
    const auto asked = ask("OPTIONS", "/v1/notifications", {}, {{"Authorization", key}});
    BOOST_TEST(asked.status == 204);
    BOOST_TEST(asked.header("allow") == "POST, GET, HEAD, OPTIONS");
    BOOST_TEST(asked.text.empty());
  }
  BOOST_TEST(ask("OPTIONS", "/v1/nowhere").status == 404);
  const auto head = ask("HEAD", "/healthz");
  BOOST_TEST(head.status == 200);
  BOOST_TEST(head.header("content-length") == "15");
}

BOOST_AUTO_TEST_CASE(only_json_in_utf_8_is_read) {
  const auto code = [&](const std::string& type) {
    return ask("POST", "/v1/notifications", "{}", {{"Content-Type", type}}).code();
  };
  BOOST_TEST(code("text/plain") == "unsupported-media-type");
  BOOST_TEST(code("") == "unsupported-media-type");
  BOOST_TEST(code("application/json; charset=latin1") == "unsupported-media-type");
  BOOST_TEST(code("application/json; charset=UTF-8") == "invalid-request");
  BOOST_TEST(ask("POST", "/v1/notifications", "{}", {{"Content-Encoding", "gzip"}}).code()
             == "unsupported-encoding");
}

BOOST_AUTO_TEST_CASE(wishes_that_would_be_ignored_are_refused) {
  BOOST_TEST(ask("POST", "/v1/notifications?dry_run=1", order_body("o-1")).status == 400);
  BOOST_TEST(ask("GET", "/v1/users/ana", "{}").status == 400);
  BOOST_TEST(ask("POST", "/v1/notifications/x/cancel", R"({"reason":"r"})").status == 400);
}

BOOST_AUTO_TEST_CASE(a_cancel_before_the_permit_stops_and_after_it_tells_in_flight) { // P5
  auto body = json::parse(order_body("later"));
  const auto in_an_hour = value("select to_char((now() + interval '1 hour') at time zone 'utc', "
                                "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
  body["send_at"] = in_an_hour;
  const auto planned = ask("POST", "/v1/notifications", body.dump());
  BOOST_REQUIRE_MESSAGE(planned.status == 202, planned.text);
  const auto id = planned.body["id"].get<std::string>();
  const auto stopped = ask("POST", "/v1/notifications/" + id + "/cancel");
  BOOST_TEST(stopped.status == 200);
  BOOST_TEST(
      stopped.body
      == json({{"id", id}, {"deliveries", {{{"channel", "email"}, {"result", "stopped"}}}}}));
  BOOST_TEST(await_status(id, "cancelled").contains("cancelled_at"));

  hold_mail();
  const auto flying = post_order("now").body["id"].get<std::string>();
  await_mails(1);
  const auto late = ask("POST", "/v1/notifications/" + flying + "/cancel", "{}");
  BOOST_TEST(place(late, "/deliveries/0/result") == "\"in_flight\"");
  release_mail();
  await_status(flying, "completed");
}

BOOST_AUTO_TEST_CASE(a_user_is_put_told_and_erased) {
  const auto put = ask("PUT", "/v1/users/b%2F1", R"({"email":"Bia@example.com","name":"Bia"})");
  BOOST_TEST(put.status == 200);
  BOOST_TEST(place(put, "/user_id") == "\"b/1\"");
  const auto got = ask("GET", "/v1/users/b%2F1");
  BOOST_TEST(got.body == json({{"user_id", "b/1"}, {"email", "Bia@example.com"}, {"name", "Bia"}}));
  BOOST_TEST(ask("PUT", "/v1/users/b", R"({"email":"bia"})").code() == "invalid-address");
  const auto gone = ask("DELETE", "/v1/users/b%2F1");
  BOOST_TEST(gone.status == 204);
  BOOST_TEST(gone.text.empty());
  BOOST_TEST(ask("GET", "/v1/users/b%2F1").status == 404);
  BOOST_TEST(ask("GET", "/v1/users/nobody").status == 404);
}

BOOST_AUTO_TEST_CASE(an_opt_out_stops_what_waits_and_says_how_much) { // P5
  auto body = json::parse(order_body("later"));
  body["send_at"] = value("select to_char((now() + interval '1 hour') at time zone 'utc', "
                          "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
  BOOST_REQUIRE(ask("POST", "/v1/notifications", body.dump()).status == 202);
  const auto put =
      ask("PUT", "/v1/users/ana/preferences", R"({"types":{"order.shipped":{"email":false}}})");
  BOOST_TEST(put.status == 200);
  BOOST_TEST(put.body == json::parse(R"({"channels":{},
    "types":{"order.shipped":{"email":false}},"stopped":1,"in_flight":0,"in_doubt":0})"));
  BOOST_TEST(ask("GET", "/v1/users/ana/preferences").body
             == json::parse(R"({"channels":{},"types":{"order.shipped":{"email":false}}})"));
  const auto after = post_order("after");
  BOOST_TEST(after.status == 202);
  BOOST_TEST(place(after, "/status") == "\"suppressed\"");
  BOOST_TEST(ask("GET", "/v1/users/nobody/preferences").status == 404);
}

BOOST_AUTO_TEST_CASE(a_template_is_put_told_and_ended) {
  const std::string path = "/v1/templates/news/email";
  const auto put =
      ask("PUT", path + "?locale=pt-BR", R"({"parts":{"subject":"Oi {{name}}","text":"x"}})");
  BOOST_REQUIRE_MESSAGE(put.status == 200, put.text);
  BOOST_TEST(place(put, "/version") == "1");
  BOOST_TEST(place(put, "/locale") == "\"pt-BR\"");
  BOOST_TEST(place(put, "/required") == "[\"name\"]");
  BOOST_TEST(ask("GET", path + "?locale=pt-BR").body == put.body);
  BOOST_TEST(ask("GET", path).status == 404);
  BOOST_TEST(ask("PUT", path, R"({"parts":{"subject":"{{#a","text":"x"}})").code()
             == "invalid-template");
  BOOST_TEST(ask("PUT", "/v1/templates/news/fax", "{}").status == 404);
  BOOST_TEST(ask("PUT", path + "?locale=x", R"({"parts":{}})").status == 400);
  BOOST_TEST(ask("DELETE", path + "?locale=pt-BR").status == 204);
  BOOST_TEST(ask("DELETE", path + "?locale=pt-BR").status == 404);
}

BOOST_AUTO_TEST_CASE(health_needs_no_key_and_metrics_hold_no_people) {
  BOOST_TEST(ask("GET", "/healthz", "", {{"Authorization", ""}}).status == 200);
  BOOST_TEST(ask("GET", "/readyz", "", {{"Authorization", ""}}).status == 200);
  post_order("o-1");
  const auto metrics = ask("GET", "/metrics", "", {{"Authorization", ""}});
  BOOST_TEST(metrics.header("content-type") == "text/plain; version=0.0.4; charset=utf-8");
  BOOST_TEST(metrics.text.find("arauto_http_requests_total{route=\"POST /v1/notifications\","
                               "status=\"2xx\"} 1")
             != std::string::npos);
  BOOST_TEST(metrics.text.find("ana@example.com") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
