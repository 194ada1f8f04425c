// The door against clients that are slow, rude or confused (S01-S03, reliability 4.2), on real
// sockets.
#include <thread>

#include <boost/test/unit_test.hpp>
#include <pqxx/pqxx>

#include "tests/support/rude_words.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;

namespace {

http_settings with_a_short_line() {
  auto door = hasty();
  door.requests_waiting_max = 8;
  return door;
}

struct hasty_service : running_service {
  hasty_service() : running_service{with_a_short_line()} {}
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(listener, hasty_service)

BOOST_AUTO_TEST_CASE(one_connection_serves_many_requests_also_in_a_row) {
  raw_client client{port()};
  for (int i = 0; i < 3; ++i) {
    client.send(get_health);
    BOOST_TEST(client.read().status == 200);
  }
  client.send("\r\n" + get_health + get_health + "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n");
  BOOST_TEST(client.read().status == 200);
  BOOST_TEST(client.read().status == 200);
  BOOST_TEST(client.read().status == 404);
}

BOOST_AUTO_TEST_CASE(idle_connections_hold_no_thread) {
  std::vector<std::unique_ptr<raw_client>> idle;
  for (int i = 0; i < 8; ++i) {
    idle.push_back(std::make_unique<raw_client>(port()));
    idle.back()->send(get_health);
    BOOST_TEST(idle.back()->read().status == 200);
  }
  for (int i = 0; i < 20; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    BOOST_TEST(ask("GET", "/healthz").status == 200);
    BOOST_TEST((std::chrono::steady_clock::now() - begun < 1s));
  }
}

BOOST_AUTO_TEST_CASE(a_head_that_drips_is_cut_at_the_deadline_of_the_whole_request) {
  raw_client client{port()};
  const auto begun = std::chrono::steady_clock::now();
  for (const char c : std::string{"GET /healthz HTTP/1.1\r\nHo"}) {
    if (!client.send(std::string{c})) break;
    std::this_thread::sleep_for(60ms);
  }
  BOOST_TEST(client.read().status == 408);
  BOOST_TEST((std::chrono::steady_clock::now() - begun < 3s));
}

BOOST_AUTO_TEST_CASE(a_body_that_never_comes_is_cut_at_the_same_deadline) {
  raw_client client{port()};
  client.send(post_head("Authorization: " + bearer + "\r\nContent-Length: 10\r\n") + "{");
  BOOST_TEST(client.read().status == 408);
  BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(a_post_without_length_has_an_empty_body_and_is_answered_at_once) {
  raw_client client{port()};
  client.send(post_head("Authorization: " + bearer + "\r\n"));
  const auto reply = client.read(900);
  BOOST_TEST(reply.status == 400);
  BOOST_TEST(reply.code() == "invalid-json");
}

BOOST_AUTO_TEST_CASE(an_endless_line_is_refused_after_a_small_bound) {
  raw_client client{port()};
  const std::string piece(64 * 1024, 'A');
  for (int i = 0; i < 100 && client.send(piece); ++i) {
  }
  const auto status = client.read().status;
  BOOST_TEST((status == 431 || status == 0)); // 0: our last bytes met a reset
}

BOOST_AUTO_TEST_CASE(more_header_lines_than_allowed_are_refused) {
  raw_client client{port()};
  std::string head = "GET /healthz HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 100; ++i)
    head += "A: b\r\n";
  client.send(head + "\r\n");
  BOOST_TEST(client.read().code() == "headers-too-large");
  BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(a_body_that_will_be_refused_is_not_invited) { // S03
  const auto first = [&](const std::string& fields) {
    raw_client client{port()};
    client.send(post_head(fields));
    const auto reply = client.read(900);
    BOOST_TEST(reply.header("connection") == "close");
    return reply.code();
  };
  BOOST_TEST(first("Authorization: Bearer ar_live_a_b\r\nContent-Length: 70000000\r\n"
                   "Expect: 100-continue\r\n")
             == "too-large");
  BOOST_TEST(first("Authorization: Bearer ar_live_a_b\r\nContent-Length: 7\r\n"
                   "Expect: 100-continue\r\n")
             == "unauthorized");
  BOOST_TEST(first("Authorization: " + bearer + "\r\nContent-Length: 262145\r\n"
                   + "Expect: 100-continue\r\n")
             == "too-large");
  BOOST_TEST(first("Expect: 200-ok\r\nContent-Length: 7\r\n") == "expectation-failed");
}

BOOST_AUTO_TEST_CASE(a_body_that_is_wanted_is_invited) {
  raw_client client{port()};
  const auto body = order_body("expect-1");
  client.send(post_head("Authorization: " + bearer + "\r\nExpect: 100-continue\r\nContent-Length: "
                        + std::to_string(body.size()) + "\r\n"));
  BOOST_TEST(client.read().status == 100);
  client.send(body);
  BOOST_TEST(client.read().status == 202);
}

BOOST_AUTO_TEST_CASE(a_refused_body_never_passes_for_the_next_request) {
  const std::string smuggled = get_health;
  for (const auto& head :
       {post_head("Content-Length: " + std::to_string(smuggled.size() + 1) + "\r\n"),
        "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(smuggled.size() + 1)
            + "\r\n\r\n",
        post_head("Transfer-Encoding: chunked\r\n"),
        post_head("Content-Length: 1\r\nContent-Length: 2\r\n")}) {
    raw_client client{port()};
    client.send(head + smuggled);
    BOOST_TEST(client.read().status >= 400);
    BOOST_TEST(client.is_closed());
  }
}

BOOST_AUTO_TEST_CASE(a_refused_body_that_has_arrived_leaves_the_connection_usable) {
  raw_client client{port()};
  client.send(post_head("Content-Length: 2\r\n") + "{}" + get_health);
  BOOST_TEST(client.read().status == 401);
  BOOST_TEST(client.read().status == 200);
}

BOOST_AUTO_TEST_CASE(what_is_no_http_is_answered_once_and_closed) {
  for (const std::string bytes :
       {"\x16\x03\x01\x02", "GET /healthz HTTP/1.1\nHost: a\n\n", "\r\n\r\n{}"}) {
    raw_client client{port()};
    client.send(bytes);
    BOOST_TEST(client.read(900).code() == "malformed-http");
    BOOST_TEST(client.is_closed());
  }
}

BOOST_AUTO_TEST_CASE(http_1_0_hears_that_its_connection_is_kept) {
  raw_client client{port()};
  client.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  BOOST_TEST(client.read().header("connection") == "keep-alive");
  client.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n");
  BOOST_TEST(client.read().header("connection") == "close");
  BOOST_TEST(client.is_closed());
}

BOOST_AUTO_TEST_CASE(an_answer_to_head_has_no_body_also_when_its_head_is_refused) {
  for (const std::string bytes :
       {"HEAD /healthz HTTP/1.1\r\n\r\n", "HEAD /healthz HTTP/1.1\r\nHost: a\n\r\n",
        "HEAD /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    raw_client client{port()};
    client.send(bytes);
    BOOST_TEST(client.read(900, true).status >= 400);
    BOOST_TEST(client.is_closed(900)); // nothing came after the head
  }
}

BOOST_AUTO_TEST_CASE(answers_come_in_the_order_of_the_questions) {
  raw_client client{port()};
  std::string questions;
  for (int i = 0; i < 50; ++i) {
    const auto body = order_body("row-" + std::to_string(i));
    questions += post_head("Authorization: " + bearer
                           + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n")
                 + body + get_health + "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  client.send(questions);
  for (int i = 0; i < 50; ++i) {
    BOOST_TEST(client.read().status == 202);
    BOOST_TEST(client.read().status == 200);
    BOOST_TEST(client.read().status == 404);
  }
}

BOOST_AUTO_TEST_CASE(who_does_not_read_its_answers_is_cut) {
  raw_client client{port()};
  std::string questions;
  for (int i = 0; i < 1'000; ++i)
    questions += "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send(questions);
  BOOST_TEST(client.is_reset());
}

// Four requests in work, eight in the line: the next is told at once to come later, and none of the
// others is lost.
BOOST_AUTO_TEST_CASE(beyond_the_line_a_request_is_refused_at_once_and_its_connection_stays) {
  pqxx::connection other{url};
  pqxx::work holds{other};
  holds.exec("lock table arauto.recipient in access exclusive mode");
  const auto get_user =
      "GET /v1/users/ana HTTP/1.1\r\nHost: a\r\nAuthorization: " + bearer + "\r\n\r\n";
  std::vector<std::unique_ptr<raw_client>> held;
  for (int i = 0; i < 4 + 8; ++i) {
    held.push_back(std::make_unique<raw_client>(port()));
    held.back()->send(get_user);
  }
  raw_client late{port()};
  http_reply reply;
  const auto begun = std::chrono::steady_clock::now();
  do { // the others may still be on their way
    late.send(get_contract);
    reply = late.read();
  } while (reply.status == 200 && std::chrono::steady_clock::now() - begun < 1s);
  BOOST_TEST(reply.status == 503);
  BOOST_TEST(reply.code() == "overloaded");
  BOOST_TEST(reply.header("retry-after") == "1");
  BOOST_TEST(reply.header("connection") == "");
  late.send(get_contract + get_contract + get_contract); // it does not wait to be heard
  BOOST_TEST(late.read().header("connection") == "close");
  BOOST_TEST(late.is_closed());
  raw_client balancer{port()};
  for (const std::string path : {"/healthz", "/readyz"}) { // stand in no line
    balancer.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    BOOST_TEST(balancer.read(900).status == 200);
  }
  holds.abort();
  for (const auto& one : held)
    BOOST_TEST(one->read().status == 200);
  balancer.send(get_contract);
  BOOST_TEST(balancer.read().status == 200);
}

BOOST_AUTO_TEST_CASE(a_stop_refuses_what_has_not_begun) {
  raw_client half{port()};
  half.send(get_health + "GET /healthz HTTP/1.1\r\n");
  BOOST_TEST(half.read().status == 200);
  std::thread stopping{[&] { stop_door(); }};
  BOOST_TEST(half.read().code() == "stopping");
  BOOST_TEST(half.is_closed());
  stopping.join();
}

BOOST_AUTO_TEST_CASE(a_stop_lets_running_requests_finish_and_begins_no_new_one) {
  raw_client idle{port()};
  idle.send(get_health);
  BOOST_TEST(idle.read().status == 200);
  raw_client half{port()};
  const auto body = order_body("stop-1");
  half.send(post_head("Authorization: " + bearer + "\r\nExpect: 100-continue\r\nContent-Length: "
                      + std::to_string(body.size()) + "\r\n"));
  BOOST_TEST(half.read().status == 100); // admitted: it had begun
  std::thread stopping{[&] { stop_door(); }};
  BOOST_TEST(idle.is_closed());
  half.send(body);
  const auto reply = half.read();
  BOOST_TEST(reply.status == 202);
  BOOST_TEST(reply.header("connection") == "close");
  stopping.join();
}

BOOST_AUTO_TEST_SUITE_END()
