// The door when more come than there is room for, and when they do not go: who waits, who is turned
// away, who must go first. On real sockets.
#include <thread>

#include <boost/test/unit_test.hpp>
#include <pqxx/pqxx>

#include "http/server.hpp"
#include "tests/support/rude_words.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(crowd)

struct impatient : running_service {
  impatient() : running_service{settings()} {}
  static http_settings settings() {
    auto door = hasty();
    door.request_max = 10s;
    door.waiting_max = 400ms;
    return door;
  }
};

BOOST_FIXTURE_TEST_CASE(who_waited_too_long_has_given_up_also_with_its_body, impatient) {
  const auto body = order_body("late-1");
  raw_client admitted{port()};
  admitted.send(post_head("Authorization: " + bearer
                          + "\r\nExpect: 100-continue\r\nContent-Length: "
                          + std::to_string(body.size()) + "\r\n"));
  BOOST_TEST(admitted.read().status == 100);
  pqxx::connection other{url};
  pqxx::work holds{other};
  holds.exec("lock table arauto.recipient in access exclusive mode");
  std::vector<std::unique_ptr<raw_client>> held;
  for (int i = 0; i < 4; ++i) {
    held.push_back(std::make_unique<raw_client>(port()));
    held.back()->send("GET /v1/users/ana HTTP/1.1\r\nHost: a\r\nAuthorization: " + bearer
                      + "\r\n\r\n");
  }
  while (holds
             .exec("select count(*) from pg_locks where not granted "
                   "and relation = 'arauto.recipient'::regclass")[0][0]
             .as<int>()
         < 4)
    std::this_thread::yield();
  admitted.send(body);
  BOOST_TEST(admitted.read(600).status == 0); // in the line
  holds.abort();
  BOOST_TEST(admitted.read().code() == "overloaded");
}

struct small_room : running_service {
  small_room() : running_service{settings()} {}
  static http_settings settings() {
    auto door = hasty();
    door.idle_max = 60s;
    door.request_max = 10s;
    door.connections_max = 16;
    return door;
  }
};

BOOST_FIXTURE_TEST_CASE(beyond_the_room_connections_are_turned_away_and_told_when_to_come_back,
                        small_room) {
  std::vector<std::unique_ptr<raw_client>> held;
  for (int i = 0; i < 16; ++i) {
    held.push_back(std::make_unique<raw_client>(port()));
    held.back()->send(get_health + "GET ");
    BOOST_TEST(held.back()->read().status == 200);
  }
  for (const auto* says : {"", "GET /healthz HTTP/1.1\r\n"}) { // whatever it says, or nothing
    raw_client late{port()};
    late.send(says);
    const auto reply = late.read(900);
    BOOST_TEST(reply.status == 503);
    BOOST_TEST(reply.header("retry-after") == "1");
    BOOST_TEST(late.is_closed(900));
  }
  held.pop_back();
  http_reply reply;
  for (int i = 0; i < 100 && reply.status != 200; ++i) { // until its end has been noticed
    raw_client next{port()};
    next.send(get_health);
    reply = next.read();
  }
  BOOST_TEST(reply.status == 200);
}

BOOST_FIXTURE_TEST_CASE(in_a_full_house_who_is_silent_longest_makes_room, small_room) {
  std::vector<std::unique_ptr<raw_client>> held;
  for (int i = 0; i < 16; ++i) { // the first is busy, the second silent from the start
    held.push_back(std::make_unique<raw_client>(port()));
    if (i == 1) continue;
    held.back()->send(i == 0 ? get_health + "GET " : get_health);
    BOOST_TEST(held.back()->read().status == 200);
  }
  for (int gone = 1; gone <= 3; ++gone) {
    held.push_back(std::make_unique<raw_client>(port()));
    held.back()->send(get_health);
    BOOST_TEST(held.back()->read().status == 200);
    BOOST_TEST(held[static_cast<std::size_t>(gone)]->is_closed(900));
  }
  held[0]->send("/healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  BOOST_TEST(held[0]->read().status == 200);
}

struct patient_later : running_service {
  patient_later() : running_service{settings()} {}
  static http_settings settings() {
    auto door = hasty();
    door.idle_max = 60s;
    return door;
  }
};

BOOST_FIXTURE_TEST_CASE(who_never_asks_anything_goes_when_a_request_would_be_over, patient_later) {
  raw_client silent{port()}, known{port()};
  known.send(get_health);
  BOOST_TEST(known.read().status == 200);
  BOOST_TEST(silent.is_closed(6'000));
  known.send(get_health);
  BOOST_TEST(known.read().status == 200);
}

BOOST_AUTO_TEST_CASE(few_descriptors_are_few_connections_and_too_few_are_no_service) {
  BOOST_TEST(*http::connections_within(100'000, 4'096) == 4'096u);
  BOOST_TEST(*http::connections_within(1'024, 4'096) == 512u);
  BOOST_TEST(*http::connections_within(528, 4'096) == 16u);
  BOOST_TEST((http::connections_within(527, 4'096).error() == errc::unavailable));
}

BOOST_FIXTURE_TEST_CASE(a_stop_has_an_end_whatever_the_peers_do, small_room) {
  raw_client half{port()}, deaf{port()};
  half.send(
      post_head("Authorization: " + bearer + "\r\nExpect: 100-continue\r\nContent-Length: 10\r\n"));
  BOOST_TEST(half.read().status == 100);
  std::string questions;
  for (int i = 0; i < 1'000; ++i)
    questions += get_contract;
  deaf.send(questions);
  const auto begun = std::chrono::steady_clock::now();
  stop_door(300ms);
  const auto took = std::chrono::steady_clock::now() - begun;
  BOOST_TEST((took >= 300ms && took < 3s));
  BOOST_TEST(half.is_closed(900));
}

BOOST_AUTO_TEST_SUITE_END()
