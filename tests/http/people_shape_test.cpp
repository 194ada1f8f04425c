// From bodies to recipients, preferences and templates, and back: pure.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "http/devices.hpp"
#include "http/templates.hpp"
#include "http/users.hpp"

using namespace arauto;
using namespace arauto::http;
using nlohmann::json;

namespace {

template <class T>
std::string refused(const or_problem<T>& read) {
  const auto* no = std::get_if<problem>(&read);
  if (no == nullptr) return "accepted";
  std::string told{kind_of(no->code).word};
  for (const auto& error : no->errors)
    told += " " + error.pointer;
  return told;
}

std::string recipient_refused(const char* body) {
  return refused(read_recipient(body, http_settings{}));
}

std::string preferences_refused(const char* body) {
  return refused(read_preferences(body, http_settings{}));
}

std::string device_refused(const json& body, bool test_bench = false) {
  http_settings limits;
  limits.private_endpoints = test_bench;
  return refused(read_device(body.dump(), limits));
}

// The browser of RFC 8291, appendix A.
json browser(const std::string& endpoint = "https://push.example.org/p/1") {
  return json{
      {"provider", "web_push"},
      {"subscription",
       {{"endpoint", endpoint},
        {"expirationTime", nullptr},
        {"keys",
         {{"p256dh", "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6S"
                     "RpkNtoIAiw4"},
          {"auth", "BTBZMqHH6r4Tts7J_aSIgg"}}}}}};
}

std::string template_refused(channel via, const char* body) {
  return refused(read_template(body, via, http_settings{}));
}

} // namespace

BOOST_AUTO_TEST_SUITE(people_shape)

BOOST_AUTO_TEST_CASE(a_recipient_is_read_and_told) {
  auto read = read_recipient(R"({"email":"Ana@Example.com","name":"Ana \"A\" Souza",
    "locale":"pt-BR","time_zone":"America/Recife"})",
                             http_settings{});
  BOOST_REQUIRE(std::holds_alternative<storage::recipient>(read));
  auto who = std::get<storage::recipient>(read);
  BOOST_TEST(who.email == "Ana@Example.com");
  BOOST_TEST(who.email_key == "ana@example.com");
  who.user.text = "u-1";
  BOOST_TEST(json::parse(told_recipient(who)) == json::parse(R"({"user_id":"u-1",
    "email":"Ana@Example.com","name":"Ana \"A\" Souza","locale":"pt-BR",
    "time_zone":"America/Recife"})"));
  BOOST_TEST(json::parse(told_recipient({{"u-1"}, "", "", "", "", ""}))
             == json::parse(R"({"user_id":"u-1"})"));
}

BOOST_AUTO_TEST_CASE(an_address_that_cannot_be_used_says_why) {
  BOOST_TEST(recipient_refused(R"({"email":"ana"})") == "invalid-address /email");
  BOOST_TEST(recipient_refused(R"({"email":""})") == "invalid-address /email");
  BOOST_TEST(recipient_refused(R"({"email":"a@example.com\r\nBcc: b@example.com"})")
             == "invalid-address /email");
  BOOST_TEST(recipient_refused(R"({"email":null})") == "invalid-request /email");
  BOOST_TEST(recipient_refused("{}") == "accepted");
}

BOOST_AUTO_TEST_CASE(names_locales_and_time_zones_have_their_shapes) {
  BOOST_TEST(recipient_refused(R"({"name":"a\nb"})") == "invalid-request /name");
  BOOST_TEST(recipient_refused(R"({"name":""})") == "invalid-request /name");
  BOOST_TEST(recipient_refused(R"({"locale":"p"})") == "invalid-request /locale");
  BOOST_TEST(recipient_refused(R"({"locale":"pt_BR"})") == "invalid-request /locale");
  BOOST_TEST(recipient_refused(R"({"time_zone":"../etc/passwd"})") == "invalid-request /time_zone");
  BOOST_TEST(recipient_refused(R"({"time_zone":"Etc/GMT+3"})") == "accepted");
  BOOST_TEST(recipient_refused(R"({"phone":"1"})") == "invalid-request /phone");
}

BOOST_AUTO_TEST_CASE(preferences_are_read_and_told) {
  const auto read = read_preferences(
      R"({"channels":{"email":true,"push":false},"types":{"news":{"email":false},"x":{}}})",
      http_settings{});
  BOOST_REQUIRE(std::holds_alternative<storage::preferences>(read));
  const auto& said = std::get<storage::preferences>(read);
  BOOST_TEST(said.size() == 2u);
  BOOST_TEST(said.at("").at(channel::email));
  BOOST_TEST(!said.at("news").at(channel::email));
  BOOST_TEST(json::parse(told_preferences(said, nullptr))
             == json::parse(
                 R"({"channels":{"email":true,"push":false},"types":{"news":{"email":false}}})"));
  const std::vector<storage::stop_view> stops = {{{"1"}, channel::email, "stopped"},
                                                 {{"2"}, channel::email, "stopped"},
                                                 {{"3"}, channel::push, "in_flight"}};
  const auto told = json::parse(told_preferences({}, &stops));
  BOOST_TEST(
      told == json::parse(R"({"channels":{},"types":{},"stopped":2,"in_flight":1,"in_doubt":0})"));
}

BOOST_AUTO_TEST_CASE(preferences_know_channels_and_truth_only) {
  BOOST_TEST(preferences_refused("{}") == "accepted");
  BOOST_TEST(preferences_refused(R"({"channels":{"fax":true}})")
             == "unknown-channel /channels/fax");
  BOOST_TEST(preferences_refused(R"({"types":{"a/b":{}}})") == "invalid-request /types/a~1b");
  BOOST_TEST(preferences_refused(R"({"types":{"a":{"email":1}}})")
             == "invalid-request /types/a/email");
  BOOST_TEST(preferences_refused(R"({"types":{"":{"email":true}}})") == "invalid-request /types/");
  BOOST_TEST(preferences_refused(R"({"types":{"a":false}})") == "invalid-request /types/a");
  BOOST_TEST(preferences_refused(R"({"email":false})") == "invalid-request /email");
}

BOOST_AUTO_TEST_CASE(a_device_is_read_by_the_rules_of_its_provider) {
  const auto read = [](const json& body) {
    return std::get<storage::device>(read_device(body.dump(), http_settings{}));
  };
  const auto fcm = read({{"provider", "fcm"}, {"app", "shop"}, {"token", "a:B_c-1"}});
  BOOST_TEST(to_string(fcm.of) == "fcm/shop");
  BOOST_TEST(fcm.token == "a:B_c-1");
  BOOST_TEST(read({{"provider", "apns"}, {"token", "C0FFee"}}).token == "c0ffee");
  const auto web = read(browser());
  BOOST_TEST(web.token == "https://push.example.org/p/1");
  BOOST_TEST(web.auth == "BTBZMqHH6r4Tts7J_aSIgg");
  BOOST_TEST(web.p256dh.size() == 87u);
}

BOOST_AUTO_TEST_CASE(a_device_that_no_push_could_reach_is_refused_with_its_member) {
  BOOST_TEST(device_refused({{"token", "t"}}) == "invalid-request /provider");
  BOOST_TEST(device_refused({{"provider", "smtp"}, {"token", "t"}}) == "invalid-request /provider");
  BOOST_TEST(device_refused({{"provider", "fcm"}}) == "invalid-request /token");
  BOOST_TEST(device_refused({{"provider", "fcm"}, {"token", "a b"}}) == "invalid-request /token");
  BOOST_TEST(device_refused({{"provider", "fcm"}, {"token", std::string(2'049, 'x')}})
             == "invalid-request /token");
  BOOST_TEST(device_refused({{"provider", "apns"}, {"token", "c0ffe"}})
             == "invalid-request /token");
  BOOST_TEST(device_refused({{"provider", "apns"}, {"app", "a\nb"}, {"token", "c0"}})
             == "invalid-request /app");
  BOOST_TEST(device_refused({{"provider", "web_push"}, {"token", "t"}})
             == "invalid-request /token /subscription");
  auto off_the_curve = browser();
  auto& keys = off_the_curve["subscription"]["keys"];
  keys["p256dh"].get_ref<std::string&>()[10] = 'X';
  keys["auth"] = "AAAA";
  BOOST_TEST(device_refused(off_the_curve)
             == "invalid-request /subscription/keys/p256dh /subscription/keys/auth");
}

// S35: what can be told from the text alone is told to whoever registers it.
BOOST_AUTO_TEST_CASE(an_endpoint_that_leads_into_our_own_house_is_refused_in_every_spelling) {
  for (const auto* endpoint :
       {"http://push.example.org/p", "https://127.0.0.1/p", "https://2130706433/p",
        "https://0x7f.1/p", "https://[::1]/p", "https://[::ffff:127.0.0.1]/p",
        "https://169.254.169.254/latest", "https://10.0.0.1/p", "https://localhost/p",
        "https://user@push.example.org/p", "https://push.example.org:8443/p", "", "/p"})
    BOOST_TEST(device_refused(browser(endpoint)) == "invalid-address /subscription/endpoint",
               endpoint);
  BOOST_TEST(device_refused(browser("https://push.example.org/p")) == "accepted");
  BOOST_TEST(device_refused(browser("https://127.0.0.1:8443/p"), true) == "accepted");
}

BOOST_AUTO_TEST_CASE(a_template_is_read_and_told) {
  auto read = read_template(R"({"parts":{"subject":"Hi {{name}}","text":"{{name}}: {{n}}"}})",
                            channel::email, http_settings{});
  BOOST_REQUIRE(std::holds_alternative<storage::template_view>(read));
  auto stands = std::get<storage::template_view>(read);
  BOOST_TEST((stands.required == std::vector<std::string>{"n", "name"}));
  stands.type = "order.shipped";
  stands.version = 3;
  BOOST_TEST(json::parse(told_template(stands)) == json::parse(R"({"type":"order.shipped",
    "channel":"email","version":3,"parts":{"subject":"Hi {{name}}","text":"{{name}}: {{n}}"},
    "required":["n","name"],"private":false})"));
}

BOOST_AUTO_TEST_CASE(a_template_that_cannot_be_rendered_is_refused_with_its_part) {
  BOOST_TEST(template_refused(channel::email, R"({"parts":{"subject":"{{#a","text":"x"}})")
             == "invalid-template /parts/subject");
  BOOST_TEST(template_refused(channel::email, R"({"parts":{"subject":"a","text":"x","title":"y"}})")
             == "invalid-template /parts/title");
  BOOST_TEST(template_refused(channel::email, R"({"parts":{"subject":1}})")
             == "invalid-request /parts/subject");
  BOOST_TEST(template_refused(channel::email, R"({"parts":[]})") == "invalid-request /parts");
  BOOST_TEST(template_refused(channel::email, "{}") == "invalid-request /parts");
  BOOST_TEST(template_refused(channel::push, R"({"parts":{"title":"a"},"private":1})")
             == "invalid-request /private");
}

// P6
BOOST_AUTO_TEST_CASE(a_template_says_what_follows_a_lost_answer_in_one_strict_shape) {
  const auto body = [](const std::string& in_doubt) {
    return R"({"parts":{"subject":"s","text":"t"},"in_doubt":)" + in_doubt + "}";
  };
  const auto refused_as = [&](const std::string& in_doubt) {
    return template_refused(channel::email, body(in_doubt).c_str());
  };
  const auto told = [&](const std::string& in_doubt) {
    const auto read = read_template(body(in_doubt), channel::email, http_settings{});
    BOOST_REQUIRE_MESSAGE(std::holds_alternative<storage::template_view>(read), in_doubt);
    return json::parse(told_template(std::get<storage::template_view>(read)))["in_doubt"];
  };
  const auto whole = json::parse(R"({"policy":"resend","after_s":60,"resends_max":3})");
  BOOST_TEST(told(whole.dump()) == whole);
  BOOST_TEST(told(R"({"policy":"resend"})")
             == json::parse(R"({"policy":"resend","after_s":300,"resends_max":1})"));
  BOOST_TEST(told(R"({"policy":"wait","after_s":7200})")
             == json::parse(R"({"policy":"wait","after_s":7200})"));
  BOOST_TEST(told(R"({"policy":"hold"})") == json::parse(R"({"policy":"hold"})"));
  BOOST_TEST(refused_as("7") == "invalid-request /in_doubt");
  BOOST_TEST(refused_as("{}") == "invalid-request /in_doubt/policy");
  BOOST_TEST(refused_as(R"({"policy":"forget"})") == "invalid-request /in_doubt/policy");
  BOOST_TEST(refused_as(R"({"policy":"hold","after_s":60})")
             == "invalid-request /in_doubt/after_s");
  BOOST_TEST(refused_as(R"({"policy":"wait","resends_max":1})")
             == "invalid-request /in_doubt/resends_max");
  BOOST_TEST(refused_as(R"({"policy":"resend","after_s":0,"resends_max":11})")
             == "invalid-request /in_doubt/after_s /in_doubt/resends_max");
  BOOST_TEST(refused_as(R"({"policy":"resend","after_s":"60"})")
             == "invalid-request /in_doubt/after_s");
  BOOST_TEST(refused_as(R"({"policy":"resend","soon":true})") == "invalid-request /in_doubt/soon");
}

BOOST_AUTO_TEST_SUITE_END()
