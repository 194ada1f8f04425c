// What people write about an account at a provider, and what becomes of it.
#include <boost/test/unit_test.hpp>

#include <map>

#include "actors/channels/account.hpp"
#include "actors/channels/web_push_crypt.hpp"
#include "tests/channels/push_fixture.hpp"
#include "tests/support/smtp_peer.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;
using nlohmann::json;

namespace {

std::map<std::string, std::string> faults(provider via, const json& given) {
  std::map<std::string, std::string> found;
  for (const auto& fault : read_account(via, given).faults)
    found[fault.pointer] = fault.what;
  return found;
}

json smtp_form() {
  return {{"host", "mail.example"},
          {"user", "ana"},
          {"password", "sesame-sesame"},
          {"sender_address", "no-reply@loja.example"}};
}

void is_taken_apart(provider via, const json& given, const json& secret) {
  const auto reading = read_account(via, given);
  for (const auto& fault : reading.faults)
    BOOST_ERROR(fault.pointer + " " + fault.what);
  BOOST_TEST(reading.form.secret == secret);
  auto whole = reading.form.open;
  whole.merge_patch(secret);
  const auto again = read_account(via, whole); // what was accepted is accepted again, the same
  BOOST_TEST(again.faults.empty());
  BOOST_TEST(again.form.open == reading.form.open);
  for (const auto& each : secret.flatten())
    BOOST_TEST(reading.form.open.dump().find(each.dump()) == std::string::npos);
}

} // namespace

BOOST_AUTO_TEST_SUITE(accounts)

BOOST_AUTO_TEST_CASE(what_may_be_shown_is_apart_from_what_may_not) {
  const auto fcm = fcm_form(test_keys().rsa);
  is_taken_apart(provider::fcm, fcm,
                 {{"service_account", {{"private_key", fcm["service_account"]["private_key"]}}}});
  const auto apns = apns_form(test_keys().ec);
  is_taken_apart(provider::apns, apns, {{"key", apns["key"]}});
  const auto web = web_push_form(new_vapid_pair());
  is_taken_apart(provider::web_push, web, {{"private_key", web["private_key"]}});
  is_taken_apart(provider::smtp, smtp_form(), {{"password", "sesame-sesame"}});
}

BOOST_AUTO_TEST_CASE(browsers_are_told_the_public_key_and_a_foreign_one_is_refused) {
  const auto pair = new_vapid_pair();
  auto form = web_push_form(pair);
  BOOST_TEST(read_account(provider::web_push, form).form.open["public_key"] == pair.public_key);
  form["public_key"] = new_vapid_pair().public_key;
  BOOST_TEST(faults(provider::web_push, form)["/public_key"] == "is not the private key's own");
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_unknown_is_named_by_its_pointer) {
  for (const auto via : all_providers) {
    BOOST_TEST(!faults(via, json::object()).empty());
    BOOST_TEST(!faults(via, json::array()).empty());
    BOOST_TEST(!faults(via, "text").empty());
    BOOST_TEST(faults(via, {{"a/b~c", 1}})["/a~1b~0c"] == "is not known");
  }
  auto fcm = fcm_form(test_keys().rsa);
  fcm["service_account"].erase("client_email");
  fcm["service_account"]["color"] = "red";
  fcm["service_account"]["type"] = "authorized_user";
  const auto found = faults(provider::fcm, fcm);
  BOOST_TEST(found.at("/service_account/client_email") == "is needed");
  BOOST_TEST(found.at("/service_account/color") == "is not known");
  BOOST_TEST(found.at("/service_account/type") == "must be one of service_account");
  BOOST_TEST(found.size() == 3u);
}

BOOST_AUTO_TEST_CASE(each_field_is_judged) {
  const auto fault = [](provider via, json form, const std::string& pointer, const json& value) {
    form[json::json_pointer{pointer}] = value;
    return faults(via, form)[pointer];
  };
  const auto fcm = fcm_form(test_keys().rsa);
  const auto apns = apns_form(test_keys().ec);
  BOOST_TEST(fault(provider::fcm, fcm, "/service_account/private_key", test_keys().ec.private_pem)
             == "not an RSA key");
  BOOST_TEST(fault(provider::fcm, fcm, "/service_account/project_id", "a/../b")
             == "is no name of a Firebase project");
  for (const auto* url : {"ftp://x", "https://", "https://u:p@x", "x", "https://x/?q", "http:///x"})
    BOOST_TEST(!fault(provider::fcm, fcm, "/url", url).empty(), url);
  BOOST_TEST(fault(provider::fcm, fcm, "/url", "http://127.0.0.1:9/x/").empty());
  BOOST_TEST(fault(provider::apns, apns, "/key", test_keys().rsa.private_pem)
             == "not a key on an elliptic curve");
  BOOST_TEST(fault(provider::apns, apns, "/key_id", "short") == "has ten letters and digits");
  BOOST_TEST(fault(provider::apns, apns, "/environment", "sandbox")
             == "must be one of production, development");
  BOOST_TEST(fault(provider::apns, apns, "/topic", "a b") == "is no name of an app");
  const auto web = web_push_form(new_vapid_pair());
  BOOST_TEST(!fault(provider::web_push, web, "/private_key", "AAAA").empty());
  BOOST_TEST(fault(provider::web_push, web, "/subject", "ana@loja.example")
             == "must begin with mailto: or https://");
  BOOST_TEST(fault(provider::smtp, smtp_form(), "/port", 0)
             == "must be a whole number from 1 to 65535");
  BOOST_TEST(!fault(provider::smtp, smtp_form(), "/host", "a\r\nb").empty());
  BOOST_TEST(fault(provider::smtp, smtp_form(), "/tls", "off") == "a password needs encryption");
  BOOST_TEST(!fault(provider::smtp, smtp_form(), "/sender_address", "nobody").empty());
}

BOOST_AUTO_TEST_CASE(a_fault_never_quotes_a_secret) {
  const std::string secret = "sesame-sesame";
  for (const auto via : all_providers)
    for (const auto& form :
         {json{{"key", secret}, {"private_key", secret}, {"password", secret + "\n"}},
          json{{"service_account", {{"private_key", secret}}}}, json{{"service_account", secret}}})
      for (const auto& [pointer, what] : faults(via, form))
        BOOST_TEST((pointer + what).find(secret) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_account_opens_its_port_or_says_why_not) {
  const auto open = [](provider via, const json& given) {
    return open_port(via, read_account(via, given).form, test_means());
  };
  BOOST_TEST(static_cast<bool>(open(provider::smtp, smtp_form())));
  const auto refused = open_port(provider::smtp, {}, test_means());
  BOOST_TEST((refused.error() == errc::bad_input));
  BOOST_TEST(refused.why().text == "/host is needed");
}

BOOST_AUTO_TEST_CASE(a_mail_server_that_greets_is_found_and_a_deaf_one_is_not) {
  smtp_peer peer{{}};
  auto form = smtp_form();
  form["host"] = "127.0.0.1";
  form["port"] = peer.port();
  const auto asked = [&] {
    return check_account(provider::smtp, read_account(provider::smtp, form).form, test_means());
  };
  BOOST_TEST(asked().good);
  form["port"] = 1;
  const auto deaf = asked();
  BOOST_TEST(!deaf.good);
  BOOST_TEST(deaf.words.find("127.0.0.1:1 does not greet") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
