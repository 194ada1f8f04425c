// What is known to have broken other servers, on real sockets: the list of reliability 4.2, one
// case for each of its rows that a request can reach. And S01, S02: many slow or endless peers.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include <dirent.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/rude_words.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;

namespace {

using clock = std::chrono::steady_clock;
using guests = std::vector<std::unique_ptr<raw_client>>;

std::size_t resident_bytes() {
  std::ifstream in{"/proc/self/statm"};
  std::size_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * 4096;
}

std::size_t threads() {
  std::size_t count = 0;
  auto* folder = ::opendir("/proc/self/task");
  while (::readdir(folder) != nullptr)
    ++count;
  ::closedir(folder);
  return count;
}

// The worst but one of a hundred ordinary requests.
std::chrono::milliseconds p99(const served& service) {
  std::vector<clock::duration> took;
  for (int i = 0; i < 100; ++i) {
    const auto begun = clock::now();
    BOOST_TEST(service.ask("GET", "/v1/notifications?user_id=ana").status != 0);
    took.push_back(clock::now() - begun);
  }
  std::sort(took.begin(), took.end());
  return std::chrono::duration_cast<std::chrono::milliseconds>(took[98]);
}

guests many(int port, int count, const std::string& bytes) {
  guests made;
  for (int i = 0; i < count; ++i) {
    made.push_back(std::make_unique<raw_client>(port));
    made.back()->send(bytes);
  }
  return made;
}

struct small_door : running_service {
  small_door() : running_service{settings()} {}
  static http_settings settings() {
    auto door = quick_http();
    door.threads = 8;
    door.request_max = 1s;
    return door;
  }
  // What is answered to bytes nothing follows; the connection must be over then.
  http_reply only_answer(const std::string& bytes) const {
    raw_client client{port()};
    client.send(bytes);
    auto reply = client.read(5'000);
    BOOST_TEST(client.is_closed(5'000), bytes.substr(0, 80));
    return reply;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(strangers, small_door)

BOOST_AUTO_TEST_CASE(cve_2025_46728_a_body_without_a_length_is_not_read) {
  BOOST_TEST(only_answer(post_head("Transfer-Encoding: chunked\r\n") + "5\r\nhello\r\n").code()
             == "transfer-encoding-refused");
  const auto bytes = post_head("Authorization: " + bearer + "\r\n") // a POST that says no length
                     + std::string(4 * 1024 * 1024, ' ');
  const auto before = resident_bytes();
  raw_client client{port()};
  client.send(bytes);
  BOOST_TEST(resident_bytes() < before + 2 * 1024 * 1024);
}

BOOST_AUTO_TEST_CASE(cve_2025_53628_a_line_without_end_is_cut_at_its_bound) {
  const std::string endless(1024 * 1024, 'a');
  const auto before = resident_bytes();
  for (const std::string begin : {"", "GET /", "GET / HTTP/1.1\r\nX: "}) {
    raw_client client{port()};
    for (int i = 0; i < 200 && client.send(begin + endless); ++i) {
    }
    const auto status = client.read(5'000).status;
    BOOST_TEST((status == 431 || status == 414 || status == 0)); // 0: our bytes met a reset
  }
  BOOST_TEST(resident_bytes() < before + 8 * 1024 * 1024);
}

BOOST_AUTO_TEST_CASE(cve_2025_52887_header_lines_are_counted) { // S02 too
  std::string head = "GET /healthz HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 5'000; ++i)
    head += "A:\r\n";
  raw_client client{port()};
  client.send(head + "\r\n");
  BOOST_TEST(client.read().status == 431);
}

BOOST_AUTO_TEST_CASE(cve_2026_22776_and_28435_a_compressed_body_is_refused_unread) {
  for (const auto* coding : {"gzip", "br", "deflate", "identity, gzip"})
    BOOST_TEST(only_answer(post_head("Authorization: " + bearer + "\r\nContent-Encoding: " + coding
                                     + "\r\nContent-Length: 100\r\n"))
                   .code()
               == "unsupported-encoding");
}

BOOST_AUTO_TEST_CASE(cve_2026_45372_a_header_value_is_taken_as_it_stands) {
  const std::string id = "a%0d%0aBcc: b";
  const auto body = R"({"user_id":"ana","type":"order.shipped","variables":{"order":"A-1"}})";
  const auto first = ask("POST", "/v1/notifications", body, {{"Idempotency-Key", id}});
  BOOST_TEST(first.status == 202);
  BOOST_TEST(first.header("bcc") == "");
  BOOST_TEST(value("select client_key from arauto.event") == id);
}

BOOST_AUTO_TEST_CASE(cve_2025_66570_a_header_named_like_our_facts_says_nothing) {
  const auto reply = ask("GET", "/healthz", {}, {{"REMOTE_ADDR", "6.6.6.6"}, {"LOCAL_PORT", "1"}});
  BOOST_TEST(reply.status == 200);
  BOOST_TEST(reply.text.find("6.6.6.6") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(cve_2026_28434_no_answer_holds_the_text_of_an_exception) {
  const auto reply = ask("POST", "/v1/notifications", R"({"user_id":"sesame)");
  BOOST_TEST(reply.status == 400);
  BOOST_TEST(reply.header("exception_what") == "");
  BOOST_TEST(reply.text.find("sesame") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(cve_2026_29076_multipart_is_refused_unread) {
  BOOST_TEST(
      ask("POST", "/v1/notifications", "--x", {{"Content-Type", "multipart/form-data; boundary=x"}})
          .code()
      == "unsupported-media-type");
}

BOOST_AUTO_TEST_CASE(commit_8824017_a_long_path_costs_no_stack) {
  BOOST_TEST(ask("GET", "/v1/users/" + std::string(8'000, 'a')).code() == "target-too-long");
  std::string slashes;
  for (int i = 0; i < 1'000; ++i)
    slashes += "/a";
  BOOST_TEST(ask("GET", slashes).status == 404);
}

BOOST_AUTO_TEST_CASE(commits_1e97c28_and_6fd97ae_two_ways_to_end_a_body_are_none) {
  for (const auto* lengths :
       {"Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length: 2, 2\r\n",
        "Content-Length: abc\r\n", "Content-Length: -2\r\n", "Content-Length: 0x2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n"})
    BOOST_TEST(only_answer(post_head(lengths) + "{}" + get_health).code() == "malformed-http",
               lengths);
}

BOOST_AUTO_TEST_CASE(version_0_43_4_a_chunk_is_never_read) {
  for (const auto* chunk : {"-2\r\n", "ffffffffffffffff\r\n", "0;x=\n\r\n"})
    BOOST_TEST(only_answer(post_head("Transfer-Encoding: chunked\r\n") + chunk).status == 501);
}

BOOST_AUTO_TEST_CASE(issue_1766_a_range_makes_no_answer_larger) {
  std::string ranges = "bytes=0-1";
  for (int i = 0; i < 400; ++i)
    ranges += ",0-1";
  const auto reply = ask("GET", "/healthz", {}, {{"Range", ranges}});
  BOOST_TEST(reply.status == 200);
  BOOST_TEST(reply.text.size() == 15u);
}

BOOST_AUTO_TEST_CASE(s01_peers_that_are_quiet_or_slow_hold_up_nobody) {
  {
    auto idle = many(port(), 64, get_health);
    for (const auto& one : idle)
      BOOST_TEST(one->read().status == 200);
    BOOST_TEST((p99(*this) < 1s));
  }
  {
    const auto begun = clock::now();
    auto without_length = many(port(), 64, post_head("Authorization: " + bearer + "\r\n"));
    for (const auto& one : without_length)
      BOOST_TEST(one->read(900).status == 400);
    BOOST_TEST((clock::now() - begun < 3s));
  }
  auto dripping = many(port(), 64, "GET /healthz HT");
  BOOST_TEST((p99(*this) < 1s));
  for (const auto& one : dripping)
    BOOST_TEST(one->read(5'000).status == 408);
}

BOOST_AUTO_TEST_CASE(s02_bytes_without_end_on_four_connections_fill_no_memory) {
  const std::string piece(1024 * 1024, 'A');
  const auto before = resident_bytes();
  std::vector<std::thread> peers;
  std::atomic<int> cut{0};
  auto clients = many(port(), 4, "A");
  for (const auto& client : clients)
    peers.emplace_back([&] {
      for (int sent = 0; sent < 200; ++sent)
        if (!client->send(piece)) {
          ++cut;
          return;
        }
    });
  for (auto& one : peers)
    one.join();
  BOOST_TEST(cut == 4);
  BOOST_TEST(resident_bytes() < before + 8 * 1024 * 1024);
  BOOST_TEST(ask("GET", "/healthz").status == 200);
}

BOOST_AUTO_TEST_CASE(two_thousand_idle_connections_cost_no_thread) {
  const auto before = threads();
  auto idle = many(port(), 2'000, get_health);
  for (const auto& one : idle)
    BOOST_REQUIRE(one->read().status == 200);
  BOOST_TEST(threads() == before);
  BOOST_TEST((p99(*this) < 1s));
  idle.front()->send(get_health);
  BOOST_TEST(idle.front()->read().status == 200);
}

BOOST_AUTO_TEST_SUITE_END()
