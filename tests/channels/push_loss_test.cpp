// Answers that are lost after a push was taken, over both versions of HTTP: doubt, and never a
// second push by the client itself (providers.md 0.2). The peer counts what it processed.
#include <boost/test/unit_test.hpp>

#include <map>
#include <vector>

#include <curl/curl.h>

#include "tests/channels/http_fixture.hpp"

using namespace arauto::channels;
using namespace arauto::tests;
using end_of = http_answer::end;

namespace {

loss_peer& peer() {
  static loss_peer started;
  return started;
}

// Over HTTP/2 a connection that is cut takes all with it that is in the air.
std::string fault_of(const std::string& via, int n) {
  static const std::vector<std::string> cuts{"cut", "rst", "head", "half"};
  if (via == "h1") return cuts[static_cast<std::size_t>(n % 4)];
  if (n % 16 == 0) return cuts[static_cast<std::size_t>(n % 3)];
  return n % 2 == 0 ? "reset" : "cancel";
}

struct tally {
  std::map<end_of, int> came_to;
  int twice = 0;    // processed more than once
  int denied = 0;   // processed, and said not to have begun
  int made_up = 0;  // answered, and never processed
  int in_doubt = 0; // processed, and in doubt
};

// Every second request is answered, so that those between find connections that were used before;
// one in five has no body.
tally sent_over(const std::string& via, int requests) {
  std::vector<std::pair<std::string, std::future<http_answer>>> all;
  http_client out{peer().settings()};
  for (int n = 0; n < requests; ++n) {
    const auto id = via + "-" + std::to_string(n);
    auto what = peer().request(via, id, n % 2 == 0 ? "fine" : fault_of(via, n / 2));
    if (n % 10 < 2) what.body.clear();
    all.emplace_back(id, begin(out, std::move(what)));
  }
  std::vector<std::pair<std::string, end_of>> said;
  for (auto& [id, each] : all)
    said.emplace_back(id, ended(std::move(each)).came_to);
  tally made;
  const auto counts = peer().counts();
  for (const auto& [id, came_to] : said) {
    const auto processed = counts.value(id, 0);
    ++made.came_to[came_to];
    if (processed > 1) ++made.twice;
    if (processed > 0 && came_to == end_of::not_begun) ++made.denied;
    if (processed == 0 && came_to == end_of::answered) ++made.made_up;
    if (processed > 0 && came_to == end_of::unknown) ++made.in_doubt;
  }
  return made;
}

void loses_no_answer_and_doubles_none(const std::string& via) {
  const auto made = sent_over(via, 5'000);
  BOOST_TEST(made.twice == 0);
  BOOST_TEST(made.denied == 0);
  BOOST_TEST(made.made_up == 0);
  BOOST_TEST(made.in_doubt >= 2'000); // the faults were real
  BOOST_TEST(made.came_to.at(end_of::answered) >= 1'000);
  const auto count = [&](end_of way) { return made.came_to.count(way) ? made.came_to.at(way) : 0; };
  BOOST_TEST_MESSAGE(via << ": " << count(end_of::answered) << " answered, "
                         << count(end_of::unknown) << " unknown (" << made.in_doubt
                         << " processed), " << count(end_of::not_begun) << " not begun");
}

std::size_t forget(char*, std::size_t size, std::size_t count, void*) {
  return size * count;
}

// The same requests as libcurl sends them when its body can be rewound, which is its usual way.
int sent_twice_by_plain_curl(const std::string& via, const std::string& fault, int pairs) {
  auto* handle = curl_easy_init();
  for (int n = 0; n < 2 * pairs; ++n) {
    const auto id = "plain-" + via + "-" + fault + std::to_string(n);
    const auto what = peer().request(via, id, n % 2 == 0 ? "fine" : fault);
    curl_slist* headers = nullptr;
    for (const auto& [name, value] : what.headers)
      headers = curl_slist_append(headers, (name + ": " + value).c_str());
    curl_easy_setopt(handle, CURLOPT_URL, what.url.c_str());
    curl_easy_setopt(handle, CURLOPT_CAINFO, peer().ca_file().c_str());
    curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, what.body.c_str());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &forget);
    curl_easy_perform(handle);
    curl_slist_free_all(headers);
  }
  curl_easy_cleanup(handle);
  int twice = 0;
  const auto counts = peer().counts();
  for (int n = 0; n < 2 * pairs; ++n)
    if (counts.value("plain-" + via + "-" + fault + std::to_string(n), 0) > 1) ++twice;
  return twice;
}

std::string lost_over(const std::string& via, const std::string& play, const std::string& body) {
  auto patient_for_a_second = peer().settings();
  patient_for_a_second.answer_timeout = std::chrono::milliseconds{1'000};
  http_client out{patient_for_a_second};
  auto what = peer().request(via, via + "-" + play, play);
  what.body = body;
  return words(begin(out, std::move(what)));
}

} // namespace

BOOST_AUTO_TEST_SUITE(push_losses)

BOOST_AUTO_TEST_CASE(of_5000_requests_over_http_1_none_is_sent_twice_and_none_lost_is_denied) {
  loses_no_answer_and_doubles_none("h1");
}

BOOST_AUTO_TEST_CASE(of_5000_requests_over_http_2_none_is_sent_twice_and_none_lost_is_denied) {
  loses_no_answer_and_doubles_none("h2");
}

// RFC 9112, 8; RFC 9113, 8.1.1: a request whose end never left is none. More is sent here than two
// sockets hold.
BOOST_AUTO_TEST_CASE(a_request_cut_before_its_end_has_not_begun_unless_it_was_being_answered) {
  const std::string long_body(32'000'000, 'x');
  for (const auto* via : {"h1", "h2"}) {
    BOOST_TEST(lost_over(via, "early", long_body) == "not_begun connection_lost", via);
    BOOST_TEST(lost_over(via, "earlyanswer", long_body) == "unknown lost_answer", via);
  }
  BOOST_TEST(lost_over("h2", "earlyreset", long_body) == "not_begun connection_lost");
}

BOOST_AUTO_TEST_CASE(a_request_without_a_body_is_in_doubt_once_it_left_and_not_before) {
  for (const auto* via : {"h1", "h2"})
    BOOST_TEST(lost_over(via, "cut", "") == "unknown lost_answer", via);
  http_client out{peer().settings()};
  http_request nobody_there;
  nobody_there.url = "http://127.0.0.1:1/";
  BOOST_TEST(words(begin(out, nobody_there)) == "not_begun connect_failed");
}

// The peer's counter can go red.
BOOST_AUTO_TEST_CASE(a_body_that_can_be_rewound_is_sent_twice_and_the_peer_sees_it) {
  const auto over_1 = sent_twice_by_plain_curl("h1", "cut", 50);
  const auto over_2 = sent_twice_by_plain_curl("h2", "rst", 50);
  BOOST_TEST(over_1 > 0);
  BOOST_TEST(over_2 > 0);
  BOOST_TEST_MESSAGE("of 50 lost each, twice: " << over_1 << " over h1, " << over_2 << " over h2");
}

BOOST_AUTO_TEST_SUITE_END()
