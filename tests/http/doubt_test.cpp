// What a tenant sees of a delivery in doubt and says about it: P6 against a whole service.
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <thread>

#include "http/deliveries.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using nlohmann::json;

namespace {

constexpr auto in_an_hour = "select to_char((now() + interval '1 hour') at time zone 'utc', "
                            "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";

struct with_doubts : running_service {
  // A notification that waits for its hour, as if its provider's answer had been lost.
  std::string in_doubt(const std::string& operation, const std::string& next = "'infinity'",
                       const std::string& gives_up = "null") {
    auto body = json::parse(order_body(operation));
    body["send_at"] = value(in_an_hour);
    const auto reply = ask("POST", "/v1/notifications", body.dump());
    BOOST_REQUIRE_MESSAGE(reply.status == 202, reply.text);
    const auto id = reply.body["id"].get<std::string>();
    const auto of = " where event_id = '" + id + "'";
    sql("update arauto.delivery set state = 'leased', lease_owner = event_id, lease_token = 1, "
        "lease_until = now() + interval '1 hour', begun_at = now(), attempts = 1"
        + of);
    sql("update arauto.delivery set state = 'in_doubt', cause = 'lost_answer', doubts = 1, "
        "doubted_at = now(), begun_at = null, lease_owner = null, lease_until = null, "
        "next_attempt_at = "
        + next + ", gives_up_at = " + gives_up + of);
    return id;
  }
  json delivery_of(const std::string& id) const {
    return ask("GET", "/v1/notifications/" + id).body["deliveries"][0];
  }
  http_reply resolve(const std::string& id, const std::string& as) const {
    return ask("POST", "/v1/notifications/" + id + "/deliveries/email/resolve",
               json{{"as", as}}.dump());
  }
};

std::string word_refused(const char* body) {
  const auto read = http::read_resolution(body, http_settings{});
  const auto* no = std::get_if<http::problem>(&read);
  return no == nullptr ? "read" : std::string{http::kind_of(no->code).word};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(doubt_api, with_doubts)

BOOST_AUTO_TEST_CASE(a_delivery_in_doubt_says_what_it_waits_for) {
  const auto held = delivery_of(in_doubt("o-1"));
  BOOST_TEST(held["waiting_for"] == "person");
  BOOST_TEST(!held.contains("next_attempt_at"));
  BOOST_TEST(!held.contains("gives_up_at"));
  const auto evidence = delivery_of(in_doubt("o-2", "'infinity'", "now() + interval '1 hour'"));
  BOOST_TEST(evidence["waiting_for"] == "evidence");
  BOOST_TEST(evidence["gives_up_at"].get<std::string>() > "2026");
  const auto resend = delivery_of(in_doubt("o-3", "now() + interval '1 hour'"));
  BOOST_TEST(resend["waiting_for"] == "resend");
  BOOST_TEST(resend["next_attempt_at"].get<std::string>() > "2026");
}

BOOST_AUTO_TEST_CASE(a_person_settles_it_and_may_say_so_twice) {
  const auto id = in_doubt("o-1");
  const auto first = resolve(id, "accepted");
  BOOST_REQUIRE_MESSAGE(first.status == 200, first.text);
  BOOST_TEST(first.body
             == json({{"id", id}, {"channel", "email"}, {"state", "provider_accepted"}}));
  BOOST_TEST(resolve(id, "accepted").text == first.text);
  const auto told = delivery_of(id);
  BOOST_TEST(told["state"] == "provider_accepted");
  BOOST_TEST(told["doubtful"] == true);
  BOOST_TEST(told["resolved_as"] == "accepted");
  const auto other = resolve(id, "not_accepted");
  BOOST_TEST(other.status == 409);
  BOOST_TEST(other.code() == "not-in-doubt");
  BOOST_TEST(other.body["detail"] == "its state is provider_accepted");
  BOOST_TEST(mails_taken() == 0u);
}

BOOST_AUTO_TEST_CASE(what_was_not_accepted_is_sent_again) {
  const auto id = in_doubt("o-1");
  const auto first = resolve(id, "not_accepted");
  BOOST_TEST(first.status == 200);
  BOOST_TEST(first.body["state"] == "retry_wait");
  await_status(id, "completed");
  BOOST_TEST(mails_taken() == 1u);
  BOOST_TEST(delivery_of(id)["attempts"] == 2);
  BOOST_TEST(resolve(id, "not_accepted").status == 200); // the answer may have been lost
  BOOST_TEST(resolve(id, "accepted").code() == "not-in-doubt");
}

BOOST_AUTO_TEST_CASE(a_cancelled_one_is_not_sent_again_whatever_a_person_says_P5) {
  const auto id = in_doubt("o-1");
  BOOST_TEST(ask("POST", "/v1/notifications/" + id + "/cancel").body["deliveries"][0]["result"]
             == "in_doubt");
  BOOST_TEST(resolve(id, "not_accepted").body["state"] == "permanent_failure");
  BOOST_TEST(delivery_of(id)["cause"] == "cancelled");
}

BOOST_AUTO_TEST_CASE(unknown_and_foreign_ones_look_alike_S06) {
  const auto id = in_doubt("o-1");
  const auto path = "/v1/notifications/" + id + "/deliveries/";
  BOOST_TEST(ask("POST", path + "push/resolve", R"({"as":"accepted"})").status == 404);
  BOOST_TEST(ask("POST", path + "fax/resolve", R"({"as":"accepted"})").status == 404);
  BOOST_TEST(resolve(new_event_id().text, "accepted").status == 404);
  BOOST_TEST(resolve("no-id", "accepted").status == 404);
  add_tenant({"zeta"});
  const auto foreign = ask("POST", path + "email/resolve", R"({"as":"accepted"})",
                           {{"Authorization", new_key_for(db, {"zeta"})}});
  BOOST_TEST(foreign.status == 404);
  BOOST_TEST(to_string(state_of({id})) == "in_doubt");
}

BOOST_AUTO_TEST_CASE(the_word_has_one_shape) {
  BOOST_TEST(word_refused(R"({"as":"accepted"})") == "read");
  BOOST_TEST(word_refused(R"({"as":"not_accepted"})") == "read");
  BOOST_TEST(word_refused(R"({"as":"perhaps"})") == "invalid-request");
  BOOST_TEST(word_refused(R"({"as":true})") == "invalid-request");
  BOOST_TEST(word_refused("{}") == "invalid-request");
  BOOST_TEST(word_refused(R"({"as":"accepted","why":"said so"})") == "invalid-request");
}

BOOST_AUTO_TEST_CASE(a_templates_policy_is_kept_and_told_P6) {
  auto body = json::parse(R"({"parts":{"subject":"s","text":"t"}})");
  body["in_doubt"] = json::parse(R"({"policy":"wait","after_s":3600})");
  BOOST_TEST(ask("PUT", "/v1/templates/news/email", body.dump()).status == 200);
  BOOST_TEST(ask("GET", "/v1/templates/news/email").body["in_doubt"] == body["in_doubt"]);
}

BOOST_AUTO_TEST_CASE(the_gauge_counts_those_that_are_held_apart_P6) {
  in_doubt("o-1");
  in_doubt("o-2");
  in_doubt("o-3", "now() + interval '1 hour'");
  const auto shown = [&](const std::string& line) {
    return ask("GET", "/metrics").text.find("arauto_in_doubt{held=" + line) != std::string::npos;
  };
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!shown("\"true\"} 2") && std::chrono::steady_clock::now() < give_up)
    std::this_thread::yield(); // counted at the pace of the heartbeat
  BOOST_TEST(shown("\"true\"} 2"));
  BOOST_TEST(shown("\"false\"} 1"));
}

BOOST_AUTO_TEST_SUITE_END()
