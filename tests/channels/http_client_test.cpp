// The HTTP client: what it says when things go wrong, and that it never sends twice.
#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <map>

#include "actors/channels/http_client.hpp"
#include "storage/model/public_address.hpp"
#include "tests/channels/http_fixture.hpp"
#include "tests/channels/push_fixture.hpp"
#include "tests/support/push_peers.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;
using namespace std::chrono_literals;
using nlohmann::json;
using steady = std::chrono::steady_clock;

namespace {

struct bench {
  push_peers peers;
  http_client_settings settings;

  bench() {
    settings.ca_file = peers.ca_file();
    settings.connect_timeout = 2'000ms;
    settings.answer_timeout = 2'000ms;
  }

  // Answered 401 by FCM's double, which has judged it then.
  http_request to_fcm(const std::string& token) const {
    http_request made;
    made.url = peers.url("fcm") + "/v1/projects/p/messages:send";
    made.body = json{{"message", {{"token", token}}}}.dump();
    return made;
  }
};

void wait_for(const push_peers& peers, const std::string& token) {
  const auto given_up = steady::now() + 20s;
  while (peers.count("fcm", token) == 0)
    BOOST_TEST_REQUIRE((steady::now() < given_up));
}

bool is_public(const std::string& text) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1)
    return is_public_address(reinterpret_cast<const sockaddr&>(v4));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  BOOST_TEST_REQUIRE(::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1);
  return is_public_address(reinterpret_cast<const sockaddr&>(v6));
}

} // namespace

BOOST_AUTO_TEST_SUITE(http_clients)

BOOST_AUTO_TEST_CASE(what_cannot_have_been_read_has_not_begun) {
  bench b;
  http_client out{b.settings};
  BOOST_TEST(words(begin(out, b.to_fcm("t"))) == "401");
  auto what = b.to_fcm("late");
  what.trusted_until = steady::now() - 1s;
  BOOST_TEST(words(begin(out, what)) == "not_begun trust_ended");
  what = b.to_fcm("x");
  what.url = "http://127.0.0.1:1/";
  BOOST_TEST(words(begin(out, what)) == "not_begun connect_failed");
  what.url = "http://nobody.invalid/";
  BOOST_TEST(words(begin(out, what)) == "not_begun host_not_found");
  what.url = "ftp://127.0.0.1/";
  BOOST_TEST(words(begin(out, what)) == "not_begun connect_failed");
  what.url = b.peers.url("web") + "/";
  http_client strict{http_client_settings{}};
  BOOST_TEST(words(begin(strict, what)) == "not_begun tls_unverified");
  BOOST_TEST(b.peers.count("fcm", "late") == 0);
}

BOOST_AUTO_TEST_CASE(
    a_kept_connection_that_dies_under_a_request_makes_doubt_and_no_second_request) {
  bench b;
  b.settings.sends_max = 1; // one connection, kept
  http_client out{b.settings};
  for (int n = 0; n < 30; ++n) {
    BOOST_TEST(words(begin(out, b.to_fcm("kept-" + std::to_string(n)))) == "401");
    const auto token = "drop-" + std::to_string(n);
    BOOST_TEST(words(begin(out, b.to_fcm(token))) == "unknown lost_answer");
    BOOST_TEST(b.peers.count("fcm", token) == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_stop_ends_what_waits_and_lets_what_is_in_the_air_be_answered) {
  bench b;
  b.settings.sends_max = 1;
  http_client out{b.settings};
  auto slow = begin(out, b.to_fcm("slow-1"));
  wait_for(b.peers, "slow-1 heard"); // the double says so before it answers
  auto waiting = begin(out, b.to_fcm("waiting-1"));
  out.stop(steady::now() + 10s);
  BOOST_TEST(words(std::move(slow)) == "401");
  BOOST_TEST(words(std::move(waiting)) == "not_begun stopping");
  BOOST_TEST(words(begin(out, b.to_fcm("after-1"))) == "not_begun stopping");
  BOOST_TEST(b.peers.count("fcm", "waiting-1") == 0);
}

BOOST_AUTO_TEST_CASE(a_client_that_ends_at_once_doubts_what_was_sent) {
  bench b;
  std::future<http_answer> silent;
  {
    http_client out{b.settings};
    silent = begin(out, b.to_fcm("silent-1"));
    wait_for(b.peers, "silent-1");
  }
  BOOST_TEST(words(std::move(silent)) == "unknown lost_answer");
}

// S35
BOOST_AUTO_TEST_CASE(an_address_that_is_not_everybodys_is_never_dialled) {
  bench b;
  b.settings.public_addresses_only = true;
  http_client out{b.settings};
  for (const auto* host : {"127.0.0.1", "localhost", "2130706433", "0x7f.1"}) {
    auto what = b.to_fcm("inside");
    what.url = "http://" + std::string{host} + what.url.substr(what.url.rfind(':', 25));
    BOOST_TEST(words(begin(out, what)) == "not_begun endpoint_refused", host);
  }
  BOOST_TEST(b.peers.count("fcm", "inside") == 0);
}

// S35
BOOST_AUTO_TEST_CASE(public_addresses_are_told_from_all_others) {
  for (const auto* text : {"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2600:1901::1",
                           "2a00:1450:4001::1", "64:ff9b::808:808", "3fff:1000::1"})
    BOOST_TEST(is_public(text), text);
  for (const auto* text :
       {"0.0.0.0",          "10.0.0.5",       "100.64.0.1",      "127.0.0.1",   "169.254.169.254",
        "172.16.0.1",       "172.31.255.255", "192.0.0.8",       "192.168.1.1", "198.18.0.1",
        "203.0.113.9",      "224.0.0.1",      "255.255.255.255", "::",          "::1",
        "::ffff:127.0.0.1", "::ffff:8.8.8.8", "fd00::1",         "fe80::1",     "ff02::1",
        "64:ff9b::7f00:1",  "2002:7f00:1::",  "2001:db8::1",     "2001::1",     "2001:0:1::",
        "3fff::1",          "3fff:fff::1"})
    BOOST_TEST(!is_public(text), text);
}

// S33
BOOST_AUTO_TEST_CASE(a_session_that_ends_under_many_requests_loses_none_and_doubles_none) {
  bench b;
  b.settings.sends_max = 50;
  http_client out{b.settings};
  b.peers.expect({{"apns", {{"no_key", true}}}});
  std::vector<std::pair<std::string, std::future<http_answer>>> all;
  for (int n = 0; n < 400; ++n) {
    const auto token = (n % 200 == 100 ? "goaway" : "fine") + std::to_string(n);
    http_request what;
    what.url = b.peers.url("apns") + "/3/device/" + token;
    what.headers = {{"apns-topic", "a"}, {"apns-push-type", "alert"}};
    what.body = "{}";
    all.emplace_back(token, begin(out, what));
  }
  std::map<std::string, int> came_to;
  for (auto& [token, each] : all)
    ++came_to[words(std::move(each))];
  BOOST_TEST(came_to["200"] >= 200);
  const auto counts = b.peers.seen()["counts"];
  for (const auto& [token, each] : all)
    BOOST_TEST(counts.value("apns " + token, 0) <= 1, token);
}

BOOST_AUTO_TEST_SUITE_END()
