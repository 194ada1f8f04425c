// S32: provider tokens are made once, renewed in time and shared, whatever the clock does.
#include <boost/test/unit_test.hpp>

#include <set>

#include "actors/channels/access_tokens.hpp"
#include "actors/channels/apns_tokens.hpp"
#include "actors/channels/host_waits.hpp"
#include "actors/channels/vapid_tokens.hpp"
#include "storage/model/base64.hpp"
#include "tests/channels/push_fixture.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

json claims_of(const std::string& token) {
  const auto first = token.find('.') + 1;
  return json::parse(base64url_bytes(token.substr(first, token.rfind('.') - first)).value());
}

// Both clocks, and a token endpoint that answers when the test says so.
struct world {
  std::chrono::system_clock::time_point wall{1'700'000'000s};
  std::chrono::steady_clock::time_point steady{1'000s};
  std::vector<std::pair<http_request, std::function<void(http_answer)>>> asked;
  std::vector<access_tokens::given> heard;

  std::function<std::chrono::system_clock::time_point()> now() {
    return [this] { return wall; };
  }
  std::function<std::chrono::steady_clock::time_point()> steady_now() {
    return [this] { return steady; };
  }
  void pass(std::chrono::seconds time) {
    wall += time;
    steady += time;
  }

  access_tokens tokens{*read_fcm_account(fcm_form(test_keys().rsa)).account,
                       {[this](http_request what, std::function<void(http_answer)> then) {
                          asked.emplace_back(std::move(what), std::move(then));
                        },
                        now(), steady_now(), 3}};

  void ask() {
    tokens.ask([this](const access_tokens::given& by) { heard.push_back(by); });
  }
  void answer(int status, const json& body) {
    const auto then = std::move(asked.back().second);
    then(tests::answered(status, body.dump()));
  }
  void grant(const std::string& token, int life_s) {
    answer(200, {{"access_token", token}, {"expires_in", life_s}});
  }
  std::string last() { return heard.back().token + in_words(heard.back().trouble); }
};

const std::string none = "unknown"; // how an outcome that says nothing reads

} // namespace

BOOST_AUTO_TEST_SUITE(push_tokens)

BOOST_AUTO_TEST_CASE(a_token_is_fetched_once_for_all_who_wait) {
  world w;
  for (int n = 0; n < 3; ++n)
    w.ask();
  BOOST_TEST(w.asked.size() == 1u);
  BOOST_TEST(w.heard.empty());
  w.grant("t1", 3'600);
  BOOST_TEST(w.heard.size() == 3u);
  w.ask();
  BOOST_TEST(w.asked.size() == 1u);
  BOOST_TEST(w.last() == "t1" + none);
  const auto& what = w.asked[0].first;
  BOOST_TEST(what.url == "https://oauth2.googleapis.com/token");
  BOOST_TEST(what.may_repeat);
  const auto claims = claims_of(what.body.substr(what.body.rfind('=') + 1));
  BOOST_TEST(claims["aud"] == "https://oauth2.googleapis.com/token");
  BOOST_TEST(claims["exp"].get<int>() - claims["iat"].get<int>() == 3'600);
}

BOOST_AUTO_TEST_CASE(those_who_wait_for_a_token_are_bounded) {
  world w;
  for (int n = 0; n < 4; ++n)
    w.ask();
  BOOST_TEST(w.heard.size() == 1u);
  BOOST_TEST(w.last() == "not_begun token_unavailable");
}

BOOST_AUTO_TEST_CASE(a_token_is_renewed_before_it_ends_and_never_outlives_it) {
  world w;
  w.ask();
  w.grant("t1", 60);
  w.pass(44s);
  w.ask();
  BOOST_TEST(w.asked.size() == 1u);
  w.pass(1s);
  w.ask(); // gets the old one, while the new one is fetched
  BOOST_TEST(w.last() == "t1" + none);
  BOOST_TEST(w.asked.size() == 2u);
  w.ask();
  BOOST_TEST(w.asked.size() == 2u);
  w.answer(500, {}); // for 30 seconds
  w.pass(10s);
  w.ask();
  BOOST_TEST(w.last() == "t1" + none);
  w.answer(500, {});
  w.pass(5s); // a minute old
  w.ask();
  w.answer(500, {});
  BOOST_TEST(w.last() == "not_begun token_unavailable");
  w.pass(15s);
  w.ask();
  w.grant("t2", 60);
  BOOST_TEST(w.last() == "t2" + none);
}

BOOST_AUTO_TEST_CASE(a_token_endpoint_in_trouble_is_not_asked_for_every_send) {
  world w;
  w.ask();
  w.answer(503, {});
  for (int n = 0; n < 100; ++n)
    w.ask();
  BOOST_TEST(w.asked.size() == 1u);
  BOOST_TEST(w.last() == "not_begun token_unavailable");
  w.pass(1s);
  w.ask();
  BOOST_TEST(w.asked.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_credential_that_is_refused_stops_the_account) {
  for (const auto status : {400, 401}) {
    world w;
    w.ask();
    w.answer(status, {{"error", "invalid_grant"}, {"error_description", "account not found"}});
    BOOST_TEST(w.last() == "account_refused credential_refused");
    BOOST_TEST(w.heard.back().trouble.detail == "invalid_grant: account not found");
  }
}

BOOST_AUTO_TEST_CASE(answers_without_a_token_give_none) {
  for (const auto& body : {json{}, json("x"), json{{"access_token", "t"}},
                           json{{"access_token", "t"}, {"expires_in", -1}},
                           json{{"access_token", 1}, {"expires_in", 60}}}) {
    world w;
    w.ask();
    w.answer(200, body);
    BOOST_TEST(w.last() == "not_begun token_unavailable");
  }
}

BOOST_AUTO_TEST_CASE(a_token_the_provider_does_not_know_is_forgotten_once) {
  world w;
  w.ask();
  w.grant("t1", 3'600);
  w.tokens.forget("t1"); // five sends had it
  w.ask();
  w.tokens.forget("t1");
  w.grant("t2", 3'600);
  w.tokens.forget("t1");
  w.ask();
  BOOST_TEST(w.asked.size() == 2u);
  BOOST_TEST(w.last() == "t2" + none);
}

BOOST_AUTO_TEST_CASE(a_clock_that_jumps_an_hour_ends_no_access_token) {
  world w;
  w.ask();
  w.grant("t1", 3'600);
  for (const auto jump : {3'600s, -7'200s}) {
    w.wall += jump;
    w.ask();
    BOOST_TEST(w.last() == "t1" + none);
  }
  BOOST_TEST(w.asked.size() == 1u);
}

BOOST_AUTO_TEST_CASE(all_nodes_make_the_same_apns_token_at_most_every_twenty_minutes) {
  world w;
  const auto account = *read_apns_account(apns_form(test_keys().ec)).account;
  apns_tokens one{account, w.now(), w.steady_now()};
  w.pass(600s);
  apns_tokens other{account, w.now(), w.steady_now()};
  std::set<std::int64_t> issued;
  for (int minute = 0; minute < 240; ++minute) {
    const auto mine = claims_of(one.current());
    BOOST_TEST(mine == claims_of(other.current()));
    BOOST_TEST(mine["iss"] == "TEAMTEAM01");
    const auto now_s =
        std::chrono::duration_cast<std::chrono::seconds>(w.wall.time_since_epoch()).count();
    BOOST_TEST(now_s - mine["iat"].get<std::int64_t>() < 3'600);
    BOOST_TEST(now_s >= mine["iat"].get<std::int64_t>());
    issued.insert(mine["iat"].get<std::int64_t>());
    w.pass(60s);
  }
  BOOST_TEST(issued.size() <= 7u);
  for (auto at = issued.begin(); std::next(at) != issued.end(); ++at)
    BOOST_TEST(*std::next(at) - *at >= 1'200);
}

BOOST_AUTO_TEST_CASE(a_clock_that_jumps_an_hour_changes_no_apns_token_before_its_time) {
  world w;
  apns_tokens tokens{*read_apns_account(apns_form(test_keys().ec)).account, w.now(),
                     w.steady_now()};
  const auto token = tokens.current();
  for (const auto jump : {3'600s, -7'200s}) {
    w.wall += jump;
    BOOST_TEST(tokens.current() == token);
  }
}

BOOST_AUTO_TEST_CASE(an_expired_apns_token_is_made_anew_once) {
  world w;
  apns_tokens tokens{*read_apns_account(apns_form(test_keys().ec)).account, w.now(),
                     w.steady_now()};
  w.pass(120s);
  const auto old = tokens.current();
  tokens.expired(old);
  const auto fresh = tokens.current();
  BOOST_TEST(fresh != old);
  tokens.expired(old); // another send heard it too
  BOOST_TEST(tokens.current() == fresh);
}

BOOST_AUTO_TEST_CASE(an_update_too_many_goes_back_to_the_token_before) {
  world w;
  apns_tokens tokens{*read_apns_account(apns_form(test_keys().ec)).account, w.now(),
                     w.steady_now()};
  const auto old = tokens.current();
  tokens.one_update_too_many(old); // there is none before it
  BOOST_TEST(tokens.current() == old);
  w.pass(2'000s); // the next step has begun, and the old one is not an hour old
  const auto fresh = tokens.current();
  BOOST_TEST(fresh != old);
  tokens.one_update_too_many(fresh);
  BOOST_TEST(tokens.current() == old);
  tokens.one_update_too_many(fresh); // another send heard it too
  BOOST_TEST(tokens.current() == old);
  w.pass(2'400s);
  BOOST_TEST(tokens.current() != old);
}

BOOST_AUTO_TEST_CASE(a_refused_apns_token_is_made_anew_when_the_clock_was_wrong) {
  world w;
  apns_tokens tokens{*read_apns_account(apns_form(test_keys().ec)).account, w.now(),
                     w.steady_now()};
  const auto early = tokens.current();
  tokens.refused(early);
  BOOST_TEST(claims_of(tokens.current()) == claims_of(early));
  w.wall += 3'600s; // somebody set the clock
  tokens.refused(tokens.current());
  BOOST_TEST(claims_of(tokens.current()) != claims_of(early));
}

// S34
BOOST_AUTO_TEST_CASE(vapid_names_the_origin_and_ends_within_a_day_whatever_the_clock_does) {
  world w;
  vapid_tokens tokens{*read_web_push_account(web_push_form(new_vapid_pair())).account, w.now(),
                      w.steady_now(), 2};
  const auto claims = [&](const std::string& origin) {
    const auto header = tokens.for_origin(origin);
    BOOST_TEST(header.rfind("vapid t=", 0) == 0u);
    return claims_of(header.substr(8, header.find(',') - 8));
  };
  const auto one = claims("https://push.example");
  BOOST_TEST(one["aud"] == "https://push.example");
  BOOST_TEST(one["sub"] == "mailto:ops@loja.example");
  BOOST_TEST(one["exp"].get<std::int64_t>() == 1'700'000'000 + 12 * 3'600);
  BOOST_TEST(claims("https://other.example:8443")["aud"] == "https://other.example:8443");
  w.wall += 600s;
  BOOST_TEST(claims("https://push.example") == one);
  w.pass(6h);
  BOOST_TEST(claims("https://push.example")["exp"] != one["exp"]);
  claims("https://third.example");
  BOOST_TEST(tokens.kept() == 2u);
}

BOOST_AUTO_TEST_CASE(a_host_that_asked_to_wait_is_left_alone_until_then_and_no_other) {
  host_waits waits{2};
  const std::chrono::steady_clock::time_point now{1'000s};
  waits.asked("a", now + 10s);
  waits.asked("a", now + 5s); // never earlier
  BOOST_TEST(waits.left("a", now).count() == 10'001);
  BOOST_TEST(waits.left("b", now).count() == 0);
  BOOST_TEST(waits.left("a", now + 10s).count() == 0);
  waits.asked("a", now + 10s);
  waits.asked("b", now + 20s);
  waits.asked("c", now + 30s);
  BOOST_TEST(waits.left("a", now).count() == 0); // the bound
  BOOST_TEST(waits.left("c", now).count() > 0);
}

BOOST_AUTO_TEST_SUITE_END()
