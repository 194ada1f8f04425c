// The push ports over sockets, against doubles that verify what we sign and open what we seal.
#include <boost/test/unit_test.hpp>

#include <future>
#include <map>

#include "actors/channels/account.hpp"
#include "storage/model/base64.hpp"
#include "tests/channels/push_fixture.hpp"
#include "tests/support/push_peers.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;
using nlohmann::json;
using steady = std::chrono::steady_clock;

namespace {

push_peers& peers() {
  static push_peers started;
  return started;
}

std::future<outcome> begin(port& by, const message& what) {
  auto promise = std::make_shared<std::promise<outcome>>();
  auto future = promise->get_future();
  auto made = by.compose(what);
  BOOST_TEST_REQUIRE(static_cast<bool>(made));
  by.send(std::move(*made), steady::now() + std::chrono::seconds{60},
          [promise](outcome o) { promise->set_value(std::move(o)); });
  return future;
}

outcome ended(std::future<outcome> waiting) {
  BOOST_TEST_REQUIRE((waiting.wait_for(std::chrono::seconds{30}) == std::future_status::ready));
  return waiting.get();
}

std::string said(port& by, const message& what) {
  return in_words(ended(begin(by, what)));
}

port_means means_of_peers() {
  auto made = test_means();
  made.ca_file = peers().ca_file();
  made.answer_timeout = std::chrono::milliseconds{1'000};
  return made;
}

struct fcm_bench {
  json form = fcm_form(test_keys().rsa);

  explicit fcm_bench(const json& play = json::object()) {
    form["url"] = peers().url("fcm");
    form["service_account"]["token_uri"] = peers().url("fcm") + "/token";
    peers().expect({{"fcm",
                     {{"public_key", test_keys().rsa.public_pem},
                      {"expires_in", 3'599},
                      {"token_status", 0},
                      {"retry_after", 0}}}});
    peers().expect({{"fcm", play}});
  }
  account_form account() const { return read_account(provider::fcm, form).form; }
  std::unique_ptr<port> open() const {
    return std::move(*open_port(provider::fcm, account(), means_of_peers()));
  }
};

struct apns_bench {
  json form = apns_form(test_keys().ec);

  explicit apns_bench(const json& play = json::object()) {
    form["url"] = peers().url("apns");
    peers().expect({{"apns",
                     {{"public_key", test_keys().ec.public_pem},
                      {"key_id", "KEYKEYKEY1"},
                      {"team_id", "TEAMTEAM01"},
                      {"expired_once", false},
                      {"updates_left", 0}}}});
    peers().expect({{"apns", play}});
  }
  account_form account() const { return read_account(provider::apns, form).form; }
  std::unique_ptr<port> open() const {
    return std::move(*open_port(provider::apns, account(), means_of_peers()));
  }
};

struct web_bench {
  vapid_pair pair = new_vapid_pair();
  browser at = new_browser();

  web_bench() {
    peers().expect({{"web",
                     {{"public_key", pair.public_key},
                      {"browser", {{"d", at.d}, {"p256dh", at.p256dh}, {"auth", at.auth}}}}}});
  }
  std::unique_ptr<port> open() const {
    const auto form = read_account(provider::web_push, web_push_form(pair)).form;
    return std::move(*open_port(provider::web_push, form, means_of_peers()));
  }
  message to(const std::string& path) const {
    auto made = push_to(peers().url("web") + "/p/" + path);
    made.target.p256dh = at.p256dh;
    made.target.auth = at.auth;
    return made;
  }
};

int token_questions() {
  return peers().seen()["token_questions"];
}

} // namespace

BOOST_AUTO_TEST_SUITE(push_ports)

BOOST_AUTO_TEST_CASE(fcm_verifies_our_assertion_and_takes_our_message) {
  const fcm_bench bench;
  const auto out = bench.open();
  const auto made = ended(begin(*out, push_to("fine-1")));
  BOOST_TEST(in_words(made) == "accepted");
  BOOST_TEST(made.provider_ref.find("projects/double/messages/") == 0u);
  BOOST_TEST(peers().seen()["bodies"]["fcm fine-1"]["body"]["notification"]["title"] == "Loja");
}

// S31
BOOST_AUTO_TEST_CASE(fcms_answers_are_told_apart_over_the_wire) {
  const fcm_bench bench;
  const auto out = bench.open();
  const std::map<std::string, std::string> wanted{
      {"gone-1", "bad_address unregistered"},
      {"bad-1", "bad_address bad_token"},
      {"badfields-1", "refused payload_refused"},
      {"wrongproject-1", "account_refused project_not_found"},
      {"sender-1", "bad_address sender_mismatch"},
      {"denied-1", "account_refused permission_denied"},
      {"thirdparty-1", "refused_for_now third_party_auth 60000"},
      {"quota-1", "refused_for_now quota_exceeded 60000 *"},
      {"down-1", "refused_for_now unavailable 10000"},
      {"internal-1", "refused_for_now internal_error 10000"},
      {"redirect-1", "refused redirected"},
      {"slow-1", "accepted"},
      {"drop-1", "unknown lost_answer"},
      {"silent-1", "unknown lost_answer"},
  };
  for (const auto& [token, words] : wanted)
    BOOST_TEST(said(*out, push_to(token)) == words, token);
  for (const auto* token : {"drop-1", "silent-1", "redirect-1", "thirdparty-1"})
    BOOST_TEST(peers().count("fcm", token) == 1, token);
  peers().expect({{"fcm", {{"retry_after", 7}}}});
  BOOST_TEST(said(*out, push_to("quota-2")) == "refused_for_now quota_exceeded 7000 *");
  BOOST_TEST(said(*out, push_to("down-2")) == "refused_for_now unavailable 7000 *");
}

// S32
BOOST_AUTO_TEST_CASE(many_sends_share_one_access_token) {
  const fcm_bench bench;
  const auto before = token_questions();
  const auto out = bench.open();
  std::vector<std::future<outcome>> all;
  for (int n = 0; n < 200; ++n)
    all.push_back(begin(*out, push_to("many-" + std::to_string(n))));
  for (auto& each : all)
    BOOST_TEST(in_words(ended(std::move(each))) == "accepted");
  BOOST_TEST(token_questions() == before + 1);
}

// S32
BOOST_AUTO_TEST_CASE(an_access_token_that_ended_early_is_renewed_and_the_same_push_goes_again) {
  const fcm_bench bench{{{"expires_in", 3'599}}};
  const auto out = bench.open();
  BOOST_TEST(said(*out, push_to("early-1")) == "accepted");
  const auto before = token_questions();
  peers().expect({{"fcm", {{"revoke", true}}}});
  BOOST_TEST(said(*out, push_to("early-2")) == "accepted");
  BOOST_TEST(token_questions() == before + 1);
  BOOST_TEST(peers().count("fcm", "early-2") == 2); // a 401, and then once more
}

// S32
BOOST_AUTO_TEST_CASE(without_a_token_nothing_is_sent) {
  {
    const fcm_bench bench{{{"token_status", 500}}};
    BOOST_TEST(said(*bench.open(), push_to("never-1")) == "not_begun token_unavailable");
  }
  const fcm_bench bench{{{"token_status", 400}}};
  BOOST_TEST(said(*bench.open(), push_to("never-1")) == "account_refused credential_refused");
  BOOST_TEST(peers().count("fcm", "never-1") == 0);
}

BOOST_AUTO_TEST_CASE(apns_verifies_our_token_and_takes_our_alert) {
  const apns_bench bench;
  const auto out = bench.open();
  const auto made = ended(begin(*out, push_to("aa01")));
  BOOST_TEST(in_words(made) == "accepted");
  BOOST_TEST(made.provider_ref == ended(begin(*out, push_to("aa01"))).provider_ref);
  const auto headers = peers().seen()["bodies"]["apns aa01"]["headers"];
  BOOST_TEST(headers["apns-topic"] == "example.loja");
  BOOST_TEST(headers["apns-id"] == made.provider_ref);
}

BOOST_AUTO_TEST_CASE(apnss_answers_are_told_apart_over_the_wire) {
  const apns_bench bench{{{"gone_at_ms", 1'700'000'000'123}}};
  const auto out = bench.open();
  const std::map<std::string, std::string> wanted{
      {"bad1", "bad_address bad_token"},
      {"gone1", "bad_address unregistered"},
      {"topic1", "refused token_not_for_topic"},
      {"many1", "refused_for_now too_many_requests"},
      {"down1", "refused_for_now unavailable 10000"},
      {"shutdown1", "refused_for_now unavailable 10000"},
      {"reset1", "unknown lost_answer"},
      {"drop1", "unknown lost_answer"},
      {"silent1", "unknown lost_answer"},
  };
  for (const auto& [token, words] : wanted)
    BOOST_TEST(said(*out, push_to(token)) == words, token);
  for (const auto* token : {"reset1", "drop1", "silent1"})
    BOOST_TEST(peers().count("apns", token) == 1, token);
  BOOST_TEST(ended(begin(*out, push_to("gone1"))).ended_at_ms == 1'700'000'000'123);
}

// S32
BOOST_AUTO_TEST_CASE(an_expired_apns_token_is_made_anew_and_the_same_push_goes_again) {
  const apns_bench bench{{{"expired_once", true}}};
  const auto out = bench.open();
  BOOST_TEST(said(*out, push_to("ee01")) == "accepted");
  BOOST_TEST(peers().count("apns", "ee01") == 2);
  BOOST_TEST(said(*out, push_to("ee02")) == "accepted");
  BOOST_TEST(peers().count("apns", "ee02") == 1);
}

// S32
BOOST_AUTO_TEST_CASE(too_many_token_updates_stop_the_account_and_keep_the_token) {
  const apns_bench bench;
  const auto out = bench.open();
  BOOST_TEST(said(*out, push_to("ff01")) == "accepted");
  const auto bearers = peers().seen()["bearers"].size();
  peers().expect({{"apns", {{"updates_left", 1}}}});
  BOOST_TEST(said(*out, push_to("ff02")) == "account_refused too_many_token_updates 60000 *");
  BOOST_TEST(said(*out, push_to("ff03")) == "accepted");
  BOOST_TEST(peers().seen()["bearers"].size() == bearers);
}

BOOST_AUTO_TEST_CASE(a_key_that_apple_does_not_know_stops_the_account) {
  const apns_bench bench{{{"key_id", "OTHERKEY01"}}};
  BOOST_TEST(said(*bench.open(), push_to("aa02")) == "account_refused credential_refused");
}

// S34
BOOST_AUTO_TEST_CASE(a_browser_reads_what_was_sealed_for_it) {
  const web_bench bench;
  const auto out = bench.open();
  auto what = bench.to("opened/201");
  what.parts.push_back({"data", R"({"order":7})"});
  what.parts.push_back({"link", "https://loja.example/7"});
  what.expires_in_ms = 300'000;
  BOOST_TEST(said(*out, what) == "accepted");
  const auto received = peers().seen()["bodies"]["web opened"];
  const auto plain = json::parse(received["body"].get<std::string>());
  BOOST_TEST(plain["title"] == "Loja");
  BOOST_TEST(plain["link"] == "https://loja.example/7");
  BOOST_TEST(plain["data"]["order"] == "7");
  BOOST_TEST(plain["event_id"] == what.key.event.text);
  BOOST_TEST(plain["tag"] == received["headers"]["topic"]);
  BOOST_TEST(received["headers"]["ttl"] == "300");
}

// S34
BOOST_AUTO_TEST_CASE(a_push_services_answers_are_told_apart_over_the_wire) {
  const web_bench bench;
  const std::map<std::string, std::string> wanted{
      {"201", "accepted"},
      {"200", "accepted"},
      {"202", "accepted"},
      {"302", "refused redirected"},
      {"307", "refused redirected"},
      {"400", "refused payload_refused"},
      {"401", "account_refused vapid_refused"},
      {"403", "account_refused vapid_refused"},
      {"404", "bad_address subscription_gone"},
      {"410", "bad_address subscription_gone"},
      {"413", "refused too_large"},
      {"500", "refused_for_now internal_error 10000"},
      {"drop", "unknown lost_answer"},
      {"silent", "unknown lost_answer"},
  };
  const auto out = bench.open();
  for (const auto& [play, words] : wanted) {
    const auto made = ended(begin(*out, bench.to("told-" + play + "/" + play)));
    BOOST_TEST(in_words(made) == words, play);
    BOOST_TEST(made.detail.empty());
    BOOST_TEST(peers().count("web", "told-" + play) == 1, play);
  }
  BOOST_TEST(peers().count("web", "secret") == 0); // no redirect was followed (S35)
}

// S34
BOOST_AUTO_TEST_CASE(a_push_service_that_asks_to_wait_is_left_alone) {
  const web_bench bench;
  const auto out = bench.open();
  BOOST_TEST(said(*out, bench.to("busy/429?after=7")) == "refused_for_now host_busy 7000");
  const auto made = ended(begin(*out, bench.to("waiting/201")));
  BOOST_TEST(std::string{spelled(made.said)} == "not_begun");
  BOOST_TEST(made.cause == "host_asked_to_wait");
  BOOST_TEST(
      (made.retry_after > std::chrono::seconds{5} && made.retry_after <= std::chrono::seconds{8}));
  BOOST_TEST(made.only_this_target);
  BOOST_TEST(peers().count("web", "waiting") == 0);
}

BOOST_AUTO_TEST_CASE(an_account_is_checked_without_telling_anybody_anything) {
  {
    const fcm_bench bench;
    const auto checked = check_account(provider::fcm, bench.account(), means_of_peers());
    BOOST_TEST(checked.good);
    BOOST_TEST(checked.words == "FCM let us in");
  }
  {
    const fcm_bench bench{{{"token_status", 400}}};
    const auto checked = check_account(provider::fcm, bench.account(), means_of_peers());
    BOOST_TEST(!checked.good);
    BOOST_TEST(checked.words.find("credential_refused") != std::string::npos);
  }
  {
    const apns_bench bench;
    BOOST_TEST(check_account(provider::apns, bench.account(), means_of_peers()).good);
  }
  {
    const apns_bench bench{{{"team_id", "OTHERTEAM1"}}};
    BOOST_TEST(!check_account(provider::apns, bench.account(), means_of_peers()).good);
  }
  const web_bench bench;
  const auto form = read_account(provider::web_push, web_push_form(bench.pair)).form;
  BOOST_TEST(check_account(provider::web_push, form, means_of_peers()).good);
}

BOOST_AUTO_TEST_CASE(a_stopped_port_begins_nothing) {
  const fcm_bench bench;
  const auto out = bench.open();
  out->stop(steady::now());
  BOOST_TEST(in_words(ended(begin(*out, push_to("stopped-1")))).find("not_begun stopping") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
