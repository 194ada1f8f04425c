// Web Push's form and push services' words, without a socket.
#include <boost/test/unit_test.hpp>

#include <map>

#include "actors/channels/web_push_form.hpp"
#include "actors/channels/web_push_outcome.hpp"
#include "storage/model/base64.hpp"
#include "tests/channels/push_fixture.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;

namespace {

message for_browser(const std::string& body = "Your order is here") {
  auto made = push_to("https://push.example/p/1", body);
  made.target.p256dh = new_vapid_pair().public_key;
  made.target.auth = base64url(chance(16));
  return made;
}

std::string refusal(const message& what) {
  const auto made = compose_web_push(what, false, chance);
  return made ? "" : made.why().text;
}

std::string words(int status, bool trusted = true) {
  return in_words(outcome_of_web_push(answered(status, "inner"), trusted));
}

} // namespace

BOOST_AUTO_TEST_SUITE(web_push)

// S34
BOOST_AUTO_TEST_CASE(a_push_service_is_always_told_how_long_to_keep_a_message) {
  auto what = for_browser();
  what.urgency = priority::urgent;
  const auto headers = [&] {
    const auto made = compose_web_push(what, false, chance);
    BOOST_TEST_REQUIRE(static_cast<bool>(made));
    BOOST_TEST(made->to == "https://push.example/p/1");
    return std::map<std::string, std::string>{made->headers.begin(), made->headers.end()};
  };
  BOOST_TEST(headers()["ttl"] == "2419200");
  BOOST_TEST(headers()["urgency"] == "high");
  BOOST_TEST(headers()["content-encoding"] == "aes128gcm");
  const auto topic = headers()["topic"];
  BOOST_TEST(topic.size() <= 32u);
  BOOST_TEST(static_cast<bool>(base64url_bytes(topic)));
  what.expires_in_ms = 300'000;
  what.urgency = priority::normal;
  BOOST_TEST(headers()["ttl"] == "300");
  BOOST_TEST(headers()["urgency"] == "normal");
}

BOOST_AUTO_TEST_CASE(no_two_messages_share_a_salt_or_a_key) {
  const auto what = for_browser();
  const auto one = compose_web_push(what, false, chance)->bytes;
  const auto two = compose_web_push(what, false, chance)->bytes;
  BOOST_TEST(one.substr(0, 16) != two.substr(0, 16));
  BOOST_TEST(one.substr(21, 65) != two.substr(21, 65));
}

// S31
BOOST_AUTO_TEST_CASE(a_sealed_message_has_at_most_4096_bytes) {
  std::string body;
  for (int n = 0; n < 1'500; ++n)
    body += "\xF0\x9F\x8E\x89";
  const auto made = compose_web_push(for_browser(body), false, chance);
  BOOST_TEST(made->bytes.size() <= 4'096u);
  BOOST_TEST(made->bytes.size() > 4'090u);
  auto what = for_browser();
  what.parts.push_back({"data", "{\"a\":\"" + std::string(3'993, 'x') + "\"}"});
  BOOST_TEST(refusal(what) == "too_large");
}

BOOST_AUTO_TEST_CASE(endpoints_and_keys_that_are_none_are_refused) {
  auto what = for_browser();
  what.target.p256dh = "AAAA";
  BOOST_TEST(refusal(what) == "keys_unusable");
  what = for_browser();
  what.target.auth = "";
  BOOST_TEST(refusal(what) == "keys_unusable");
  for (const auto* endpoint :
       {"", "x", "ftp://x/", "https://", "https://u@x/", "https://a\r\nb/"}) {
    what = for_browser();
    what.target.token = endpoint;
    BOOST_TEST(refusal(what) == "endpoint_refused", endpoint);
  }
}

// S34
BOOST_AUTO_TEST_CASE(the_origin_of_an_endpoint_has_no_path_and_no_usual_port) {
  BOOST_TEST(origin_of("https://Push.Example/p/1?x") == "https://push.example");
  BOOST_TEST(origin_of("https://push.example:443/p/1") == "https://push.example");
  BOOST_TEST(origin_of("HTTPS://127.0.0.1:8443/p/1") == "https://127.0.0.1:8443");
  BOOST_TEST(origin_of("http://push.example:80") == "http://push.example");
  BOOST_TEST(origin_of("https://[::1]:8443/p") == "https://[::1]:8443");
}

// S34
BOOST_AUTO_TEST_CASE(statuses_of_push_services_have_their_outcomes) {
  for (const auto status : {200, 201, 202})
    BOOST_TEST(words(status) == "accepted");
  for (const auto status : {404, 410})
    BOOST_TEST(words(status) == "bad_address subscription_gone");
  BOOST_TEST(words(400) == "refused payload_refused");
  BOOST_TEST(words(413) == "refused too_large");
  for (const auto status : {401, 403}) {
    BOOST_TEST(words(status) == "account_refused vapid_refused");
    BOOST_TEST(words(status, false) == "refused_for_now vapid_refused 60000");
  }
  BOOST_TEST(words(429) == "refused_for_now host_busy 60000");
  BOOST_TEST(words(500) == "refused_for_now internal_error 10000");
  BOOST_TEST(words(503) == "refused_for_now unavailable 10000");
  for (const auto status : {301, 302, 307})
    BOOST_TEST(words(status) == "refused redirected");
}

// S35
BOOST_AUTO_TEST_CASE(nothing_of_what_an_endpoint_says_is_kept) {
  for (const auto status : {200, 302, 400, 403, 410, 500})
    BOOST_TEST(outcome_of_web_push(answered(status, "inner"), true).detail.empty());
}

BOOST_AUTO_TEST_CASE(a_host_that_cannot_be_reached_is_no_word_about_the_account) {
  http_answer said;
  said.came_to = http_answer::end::not_begun;
  const auto cause = [&](const char* word) {
    said.cause = word;
    return in_words(outcome_of_web_push(said, true));
  };
  for (const auto* word : {"connect_failed", "host_not_found", "tls_failed", "tls_unverified"})
    BOOST_TEST(cause(word) == std::string{"refused_for_now "} + word);
  for (const auto* word : {"trust_ended", "stopping", "refused_stream"})
    BOOST_TEST(cause(word) == std::string{"not_begun "} + word);
  said.cause = "connect_failed";
  BOOST_TEST(outcome_of_web_push(said, true).only_this_target);
  BOOST_TEST(outcome_of_web_push(answered(403), false).only_this_target);
  BOOST_TEST(outcome_of_web_push(answered(429), true).only_this_target);
  BOOST_TEST(!outcome_of_web_push(answered(403), true).only_this_target);
  BOOST_TEST(cause("endpoint_refused") == "refused endpoint_refused");
  BOOST_TEST(is_known_push_service("https://fcm.googleapis.com"));
  BOOST_TEST(is_known_push_service("https://updates.push.services.mozilla.com"));
  BOOST_TEST(is_known_push_service("https://web.push.apple.com"));
  BOOST_TEST(!is_known_push_service("https://xpush.apple.com.example"));
  BOOST_TEST(!is_known_push_service("https://fcm.googleapis.com.example"));
  BOOST_TEST(!is_known_push_service("http://web.push.apple.com"));
}

BOOST_AUTO_TEST_SUITE_END()
