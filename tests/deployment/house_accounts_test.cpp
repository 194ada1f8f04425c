// The house's accounts at push providers, from settings and files (S32, S34: one key each, judged
// before the service starts).
#include <boost/test/unit_test.hpp>

#include <fstream>

#include "deployment/house_accounts.hpp"
#include "deployment/trouble.hpp"
#include "tests/channels/push_fixture.hpp"
#include "tests/support/own_database.hpp"

using namespace arauto;
using namespace arauto::deployment;
using namespace std::chrono_literals;

namespace {

struct house {
  tests::passable_directory home;

  std::string file(const std::string& name, const std::string& text) const {
    const auto path = home.path / name;
    std::ofstream{path} << text;
    return path.string();
  }
  std::string refusal(const std::vector<std::string>& environment) const {
    try {
      house_push_accounts(read_settings({{}, environment, {}}));
    } catch (const trouble& e) {
      BOOST_TEST_MESSAGE(e.what());
      return e.what();
    }
    return "";
  }
  std::vector<std::string> all_three() const {
    const auto fcm = tests::fcm_form(tests::test_keys().rsa).at("service_account").dump();
    const auto vapid = channels::new_vapid_pair();
    return {"ARAUTO_FCM_SERVICE_ACCOUNT_FILE=" + file("fcm.json", fcm),
            "ARAUTO_APNS_KEY_FILE=" + file("apns.p8", tests::test_keys().ec.private_pem),
            "ARAUTO_APNS_KEY_ID=KEYKEYKEY1",
            "ARAUTO_APNS_TEAM_ID=TEAMTEAM01",
            "ARAUTO_APNS_TOPIC=example.loja",
            "ARAUTO_WEB_PUSH_PRIVATE_KEY_FILE=" + file("vapid", vapid.private_key + "\n"),
            "ARAUTO_WEB_PUSH_SUBJECT=mailto:ops@loja.example"};
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(house_accounts_suite)

BOOST_FIXTURE_TEST_CASE(each_provider_has_an_account_of_the_house_when_its_settings_are_given,
                        house) {
  BOOST_TEST(house_push_accounts(read_settings({})).empty());
  const auto made = house_push_accounts(read_settings({{}, all_three(), {}}));
  BOOST_REQUIRE(made.size() == 3u);
  BOOST_TEST((made[0].via == provider::fcm));
  BOOST_TEST(made[0].form.open.at("service_account").at("project_id") == "loja-123");
  BOOST_TEST((made[1].via == provider::apns));
  BOOST_TEST(made[1].form.open.at("topic") == "example.loja");
  BOOST_TEST(made[1].form.secret.contains("key"));
  BOOST_TEST((made[2].via == provider::web_push));
  BOOST_TEST(made[2].form.open.contains("public_key"));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_used_is_named_by_its_setting_and_not_quoted, house) {
  BOOST_TEST(has(refusal({"ARAUTO_FCM_SERVICE_ACCOUNT_FILE=/nowhere/fcm.json"}),
                 "fcm.service_account_file (ARAUTO_FCM_SERVICE_ACCOUNT_FILE): cannot read "
                 "/nowhere/fcm.json"));
  const auto broken = refusal({"ARAUTO_FCM_SERVICE_ACCOUNT_FILE=" + file("x", "{\"sesame\"")});
  BOOST_TEST(has(broken, "no JSON"));
  BOOST_TEST(!has(broken, "sesame"));
  const auto lacking = refusal({"ARAUTO_FCM_SERVICE_ACCOUNT_FILE=" + file("x", "{}")});
  BOOST_TEST(has(lacking, "/project_id"));
  auto given = all_three();
  given[2] = "ARAUTO_APNS_KEY_ID=short";
  BOOST_TEST(has(refusal(given), "apns.key_id (ARAUTO_APNS_KEY_ID): has ten letters and digits"));
  given = all_three();
  given[1] = "ARAUTO_APNS_KEY_FILE=" + file("y", "open sesame");
  const auto no_key = refusal(given);
  BOOST_TEST(has(no_key, "apns.key_file (ARAUTO_APNS_KEY_FILE)"));
  BOOST_TEST(!has(no_key, "sesame"));
  given = all_three();
  given[6] = "ARAUTO_WEB_PUSH_SUBJECT=ops";
  BOOST_TEST(has(refusal(given), "web_push.subject (ARAUTO_WEB_PUSH_SUBJECT)"));
}

BOOST_FIXTURE_TEST_CASE(settings_of_push_that_contradict_each_other_name_both, house) {
  BOOST_TEST(has(refusal({"ARAUTO_FCM_URL=http://127.0.0.1:1"}), "needs fcm.service_account_file"));
  BOOST_TEST(has(refusal({"ARAUTO_APNS_KEY_FILE=a", "ARAUTO_APNS_TEAM_ID=b"}), "apns.key_id"));
  BOOST_TEST(has(refusal({"ARAUTO_APNS_TOPIC=a"}), "needs apns.key_file"));
  BOOST_TEST(has(refusal({"ARAUTO_WEB_PUSH_SUBJECT=mailto:a@b.example"}),
                 "needs web_push.private_key_file"));
  BOOST_TEST(has(refusal({"ARAUTO_WEB_PUSH_PRIVATE_KEY_FILE=a"}), "needs web_push.subject"));
  BOOST_TEST(
      has(refusal({"ARAUTO_PUSH_PRIVATE_ENDPOINTS=maybe"}), "push.private_endpoints must be"));
  const auto late = refusal({"ARAUTO_PUSH_ANSWER_TIMEOUT=26s"});
  BOOST_TEST(has(late, "push.answer_timeout (ARAUTO_PUSH_ANSWER_TIMEOUT)"));
  BOOST_TEST(has(late, "node.lease"));
}

BOOST_FIXTURE_TEST_CASE(the_wait_for_an_answer_follows_a_short_lease, house) {
  const auto means = push_means(read_settings({{}, {"ARAUTO_NODE_LEASE=4s"}, {}}));
  BOOST_TEST((means.answer_timeout == 3s));
  BOOST_TEST(!means.private_endpoints);
  BOOST_TEST(means.random_bytes(5).size() == 5u);
  BOOST_TEST(push_means(read_settings({{}, {"ARAUTO_PUSH_PRIVATE_ENDPOINTS=true"}, {}}))
                 .private_endpoints);
}

BOOST_AUTO_TEST_SUITE_END()
