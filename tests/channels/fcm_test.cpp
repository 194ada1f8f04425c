// FCM's form and FCM's words, without a socket.
#include <boost/test/unit_test.hpp>

#include "actors/channels/fcm_form.hpp"
#include "actors/channels/fcm_outcome.hpp"
#include "storage/model/text.hpp"
#include "tests/channels/push_fixture.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;
using nlohmann::json;

namespace {

const std::chrono::system_clock::time_point now{std::chrono::seconds{1'700'000'000}};

json body_of(const message& what) {
  const auto made = compose_fcm(what, now);
  BOOST_TEST_REQUIRE(static_cast<bool>(made));
  return json::parse(made->bytes)["message"];
}

std::string refusal(const message& what) {
  const auto made = compose_fcm(what, now);
  return made ? "" : made.why().text;
}

json error(const std::string& status, const std::string& code, const std::string& words = "no") {
  json made{{"error", {{"status", status}, {"message", words}}}};
  if (!code.empty())
    made["error"]["details"] = json::array(
        {{{"@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError"}, {"errorCode", code}}});
  return made;
}

json with_violation(json made, const std::string& field) {
  made["error"]["details"].push_back({{"@type", "type.googleapis.com/google.rpc.BadRequest"},
                                      {"fieldViolations", {{{"field", field}}}}});
  return made;
}

std::string words(int status, const json& body) {
  return in_words(outcome_of_fcm(answered(status, body.dump())));
}

} // namespace

BOOST_AUTO_TEST_SUITE(fcm)

BOOST_AUTO_TEST_CASE(each_platform_is_told_urgency_life_and_what_is_replaced) {
  auto what = push_to("token-1");
  what.urgency = priority::urgent;
  what.expires_in_ms = 300'000;
  what.parts.push_back({"data", R"({"order":7,"paid":true})"});
  what.parts.push_back({"link", "https://loja.example/7"});
  what.parts.push_back({"image", "https://loja.example/7.png"});
  const auto made = body_of(what);
  const auto tag = made["android"]["notification"]["tag"].get<std::string>();
  BOOST_TEST(made["token"] == "token-1");
  BOOST_TEST(made["notification"]["title"] == "Loja");
  BOOST_TEST(made["notification"]["image"] == "https://loja.example/7.png");
  BOOST_TEST(made["data"]["order"] == "7");
  BOOST_TEST(made["data"]["paid"] == "true");
  BOOST_TEST(made["data"]["link"] == "https://loja.example/7");
  BOOST_TEST(made["data"]["arauto_event_id"] == what.key.event.text);
  BOOST_TEST(made["android"]["priority"] == "HIGH");
  BOOST_TEST(made["android"]["ttl"] == "300s");
  BOOST_TEST(made["apns"]["headers"]["apns-collapse-id"] == tag);
  BOOST_TEST(made["apns"]["headers"]["apns-expiration"] == "1700000300");
  BOOST_TEST(made["webpush"]["headers"]["Topic"] == tag);
  BOOST_TEST(made["webpush"]["headers"]["TTL"] == "300");
  BOOST_TEST(made["webpush"]["headers"]["Urgency"] == "high");
  BOOST_TEST(made["webpush"]["notification"]["tag"] == tag);
  for (const auto& value : made["data"])
    BOOST_TEST(value.is_string());
}

// S31
BOOST_AUTO_TEST_CASE(fifteen_hundred_emoji_are_shortened_to_4096_bytes_of_utf_8) {
  std::string body;
  for (int n = 0; n < 1'500; ++n)
    body += "\xF0\x9F\x8E\x89";
  auto made = body_of(push_to("token-1", body));
  BOOST_TEST(is_utf8(made["notification"]["body"].get<std::string>()));
  made.erase("token");
  BOOST_TEST(made.dump().size() <= 4'096u);
  BOOST_TEST(made.dump().size() > 4'090u);
}

// S31
BOOST_AUTO_TEST_CASE(data_that_is_too_large_or_named_like_fcms_own_is_refused) {
  auto what = push_to("token-1");
  what.parts.push_back({"data", "{\"a\":\"" + std::string(4'096, 'x') + "\"}"});
  BOOST_TEST(refusal(what) == "too_large");
  for (const auto* key : {"from", "message_type", "google.x", "gcm.notification.x"}) {
    what.parts.back().text = std::string{"{\""} + key + "\":1}";
    BOOST_TEST(refusal(what) == "data_key_reserved", key);
  }
  for (const auto* key : {"fromage", "gcm", "google"}) {
    what.parts.back().text = std::string{"{\""} + key + "\":1}";
    BOOST_TEST(refusal(what) == "", key);
  }
  BOOST_TEST(refusal(push_to("")) == "address_unusable");
}

// S31
BOOST_AUTO_TEST_CASE(only_words_about_the_token_end_it) {
  BOOST_TEST(words(404, error("NOT_FOUND", "UNREGISTERED")) == "bad_address unregistered");
  BOOST_TEST(words(404, error("NOT_FOUND", "")) == "account_refused project_not_found");
  BOOST_TEST(words(404, "<html>") == "account_refused project_not_found");
  const auto bad = error("INVALID_ARGUMENT", "INVALID_ARGUMENT",
                         "The registration token is not a valid FCM registration token");
  BOOST_TEST(words(400, bad) == "bad_address bad_token");
  BOOST_TEST(words(400, with_violation(bad, "message.token")) == "bad_address bad_token");
  BOOST_TEST(words(400, with_violation(bad, "message.data[0].value")) == "refused payload_refused");
  BOOST_TEST(words(400, with_violation(with_violation(bad, "message.token"), "message.data"))
             == "refused payload_refused");
  BOOST_TEST(words(400, error("INVALID_ARGUMENT", "INVALID_ARGUMENT",
                              "Request contains an invalid argument."))
             == "refused payload_refused");
  BOOST_TEST(words(400, error("INVALID_ARGUMENT", "", "token")) == "refused payload_refused");
  BOOST_TEST(words(400, "nonsense") == "refused payload_refused");
  BOOST_TEST(words(403, error("PERMISSION_DENIED", "SENDER_ID_MISMATCH"))
             == "bad_address sender_mismatch");
}

// S31
BOOST_AUTO_TEST_CASE(refusals_of_us_stop_the_account_and_troubles_of_theirs_wait) {
  BOOST_TEST(words(401, error("UNAUTHENTICATED", "")) == "account_refused unauthenticated");
  BOOST_TEST(words(401, error("UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"))
             == "refused_for_now third_party_auth 60000");
  BOOST_TEST(words(403, error("PERMISSION_DENIED", "")) == "account_refused permission_denied");
  BOOST_TEST(words(429, error("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"))
             == "refused_for_now quota_exceeded 60000 *");
  BOOST_TEST(words(500, error("INTERNAL", "INTERNAL")) == "refused_for_now internal_error 10000");
  BOOST_TEST(words(503, error("UNAVAILABLE", "UNAVAILABLE"))
             == "refused_for_now unavailable 10000");
  BOOST_TEST(words(302, {}) == "refused redirected");
  BOOST_TEST(words(204, {}) == "unknown odd_answer");
}

BOOST_AUTO_TEST_CASE(a_wish_is_kept_up_to_a_day) {
  auto said = answered(429);
  said.retry_after = std::chrono::seconds{17};
  BOOST_TEST(in_words(outcome_of_fcm(said)) == "refused_for_now quota_exceeded 17000 *");
  said.status = 503;
  BOOST_TEST(in_words(outcome_of_fcm(said)) == "refused_for_now unavailable 17000 *");
  said.retry_after = std::chrono::hours{1'000};
  BOOST_TEST(in_words(outcome_of_fcm(said)) == "refused_for_now unavailable 86400000 *");
}

BOOST_AUTO_TEST_CASE(an_accepted_message_has_a_name_and_a_lost_answer_none) {
  const auto made = outcome_of_fcm(answered(200, R"({"name":"projects/p/messages/1"})"));
  BOOST_TEST(in_words(made) == "accepted");
  BOOST_TEST(made.provider_ref == "projects/p/messages/1");
  http_answer lost;
  lost.cause = "lost_answer";
  BOOST_TEST(in_words(outcome_of_fcm(lost)) == "unknown lost_answer");
  lost.came_to = http_answer::end::not_begun;
  lost.cause = "connect_failed";
  BOOST_TEST(in_words(outcome_of_fcm(lost)) == "not_begun connect_failed");
  lost.cause = "tls_unverified";
  BOOST_TEST(in_words(outcome_of_fcm(lost)) == "account_refused tls_unverified");
}

BOOST_AUTO_TEST_CASE(what_is_kept_of_their_words_is_short_utf_8_and_holds_no_token) {
  const auto token = std::string(140, 'a') + ":APA91b";
  const auto body = error("X", "", "bad token " + token + " \xF0\x9F\x8E\x89 here").dump();
  BOOST_TEST(outcome_of_fcm(answered(400, body)).detail
             == "X: bad token ... \xF0\x9F\x8E\x89 here");
  const auto long_body = error("X", "", std::string(300, 'a') + std::string(600, ' ')).dump();
  BOOST_TEST(outcome_of_fcm(answered(400, long_body)).detail.size() <= 500u);
}

BOOST_AUTO_TEST_SUITE_END()
