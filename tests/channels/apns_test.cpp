// APNs' form and APNs' words, without a socket.
#include <boost/test/unit_test.hpp>

#include <map>

#include "actors/channels/apns_form.hpp"
#include "actors/channels/apns_outcome.hpp"
#include "storage/model/targets.hpp"
#include "storage/model/text.hpp"
#include "storage/model/uuid.hpp"
#include "tests/channels/push_fixture.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;
using nlohmann::json;

namespace {

const std::chrono::system_clock::time_point now{std::chrono::seconds{1'700'000'000}};

result<composed> made_of(const message& what) {
  return compose_apns(what, "example.loja", now);
}

std::string refusal(const message& what, const std::string& topic = "example.loja") {
  const auto made = compose_apns(what, topic, now);
  return made ? "" : made.why().text;
}

std::string words(int status, const std::string& reason) {
  return in_words(outcome_of_apns(answered(status, json{{"reason", reason}}.dump())));
}

} // namespace

BOOST_AUTO_TEST_SUITE(apns)

BOOST_AUTO_TEST_CASE(an_alert_says_to_which_app_until_when_and_what_it_replaces) {
  auto what = push_to("a1b2");
  what.expires_in_ms = 300'000;
  what.parts.push_back({"data", R"({"order":7})"});
  what.parts.push_back({"image", "https://loja.example/7.png"});
  const auto made = made_of(what);
  BOOST_TEST_REQUIRE(static_cast<bool>(made));
  BOOST_TEST(made->to == "a1b2");
  std::map<std::string, std::string> headers{made->headers.begin(), made->headers.end()};
  BOOST_TEST(headers["apns-topic"] == "example.loja");
  BOOST_TEST(headers["apns-push-type"] == "alert");
  BOOST_TEST(headers["apns-priority"] == "10");
  BOOST_TEST(headers["apns-expiration"] == "1700000300");
  BOOST_TEST(headers["apns-collapse-id"].size() <= 64u);
  BOOST_TEST(is_uuid(headers["apns-id"]));
  const auto body = json::parse(made->bytes);
  BOOST_TEST(body["aps"]["alert"] == json({{"title", "Loja"}, {"body", "Your order is here"}}));
  BOOST_TEST(body["aps"]["mutable-content"] == 1);
  BOOST_TEST(body["order"] == "7");
  BOOST_TEST(body["arauto_event_id"] == what.key.event.text);
}

BOOST_AUTO_TEST_CASE(the_devices_app_is_the_topic_and_the_accounts_stands_in_for_none) {
  auto what = push_to("a1b2");
  what.app = "example.other";
  BOOST_TEST(made_of(what)->headers.front().second == "example.other");
  what.app = "a\r\nb";
  BOOST_TEST(refusal(what) == "topic_unusable");
  BOOST_TEST(refusal(push_to("a1b2"), "") == "topic_missing");
}

// S31
BOOST_AUTO_TEST_CASE(payloads_have_at_most_4096_bytes_of_utf_8) {
  std::string body;
  for (int n = 0; n < 1'500; ++n)
    body += "\xF0\x9F\x8E\x89";
  const auto made = made_of(push_to("a1b2", body));
  BOOST_TEST(made->bytes.size() <= 4'096u);
  BOOST_TEST(made->bytes.size() > 4'090u);
  BOOST_TEST(is_utf8(made->bytes));
  auto what = push_to("a1b2");
  what.parts.push_back({"data", "{\"a\":\"" + std::string(4'096, 'x') + "\"}"});
  BOOST_TEST(refusal(what) == "too_large");
  what.parts.back().text = R"({"aps":1})";
  BOOST_TEST(refusal(what) == "data_key_reserved");
}

BOOST_AUTO_TEST_CASE(a_token_that_could_leave_its_path_is_refused) {
  for (const auto* token : {"", "../x", "a/b", "a?b", "a b", "a\r\nb", "é"})
    BOOST_TEST(refusal(push_to(token)) == "address_unusable", token);
}

BOOST_AUTO_TEST_CASE(apples_reasons_have_their_outcomes) {
  BOOST_TEST(words(200, "") == "accepted");
  BOOST_TEST(words(400, "BadDeviceToken") == "bad_address bad_token");
  BOOST_TEST(words(400, "DeviceTokenNotForTopic") == "refused token_not_for_topic");
  BOOST_TEST(words(400, "IdleTimeout") == "refused_for_now idle_timeout");
  for (const auto* reason : {"BadTopic", "MissingTopic", "TopicDisallowed"})
    BOOST_TEST(words(400, reason) == "refused topic_refused");
  for (const auto* reason :
       {"BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "DuplicateHeaders",
        "InvalidPushType", "MissingDeviceToken", "PayloadEmpty", "SomethingNew"})
    BOOST_TEST(words(400, reason) == "refused payload_refused");
  BOOST_TEST(words(404, "BadPath") == "refused payload_refused");
  BOOST_TEST(words(405, "MethodNotAllowed") == "refused payload_refused");
  BOOST_TEST(words(413, "PayloadTooLarge") == "refused too_large");
  BOOST_TEST(words(403, "ExpiredProviderToken") == "account_refused token_expired");
  for (const auto* reason : {"InvalidProviderToken", "MissingProviderToken", "BadCertificate",
                             "BadCertificateEnvironment", "Forbidden"})
    BOOST_TEST(words(403, reason) == "account_refused credential_refused");
  BOOST_TEST(words(429, "TooManyRequests") == "refused_for_now too_many_requests");
  BOOST_TEST(words(429, "TooManyProviderTokenUpdates")
             == "account_refused too_many_token_updates 60000 *");
  BOOST_TEST(words(500, "InternalServerError") == "refused_for_now internal_error 10000");
  BOOST_TEST(words(503, "ServiceUnavailable") == "refused_for_now unavailable 10000");
  BOOST_TEST(words(503, "Shutdown") == "refused_for_now unavailable 10000");
  BOOST_TEST(words(307, "") == "refused redirected");
}

BOOST_AUTO_TEST_CASE(a_token_that_ended_before_it_was_registered_again_lives) {
  const auto gone = [](const std::string& body) { return outcome_of_apns(answered(410, body)); };
  const auto made = gone(R"({"reason":"Unregistered","timestamp":1700000000123})");
  BOOST_TEST(in_words(made) == "bad_address unregistered");
  BOOST_TEST(made.ended_at_ms == 1'700'000'000'123);
  BOOST_TEST(end_of_token(made, 1'700'000'000'124).empty());
  BOOST_TEST(end_of_token(made, 1'700'000'000'122) == "unregistered");
  BOOST_TEST(gone(R"({"reason":"ExpiredToken","timestamp":1700000000})").ended_at_ms
             == 1'700'000'000'000);
  BOOST_TEST(gone("{}").ended_at_ms == 0);
  BOOST_TEST(gone(R"({"timestamp":"x"})").ended_at_ms == 0);
}

BOOST_AUTO_TEST_CASE(an_accepted_alert_is_known_by_its_id) {
  auto said = answered(200, "");
  said.headers = {{"apns-id", "0190a0b0-1234-8abc-8def-0123456789ab"}};
  BOOST_TEST(outcome_of_apns(said).provider_ref == "0190a0b0-1234-8abc-8def-0123456789ab");
}

BOOST_AUTO_TEST_SUITE_END()
