// The conversation with one peer, without sockets: order, bounds and deadlines (S01-S03).
#include <boost/test/unit_test.hpp>

#include "http/connection.hpp"

using namespace arauto;
using namespace arauto::http;
using namespace std::chrono_literals;

namespace {

using instant = connection::clock::time_point;

const std::string get_a = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";

std::string post_of(const std::string& body, const std::string& fields = {}) {
  return "POST /p HTTP/1.1\r\nHost: a\r\n" + fields
         + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

struct at_the_door {
  http_settings settings;
  instant now{1h};
  connection talk{settings, now};

  step say(const std::string& bytes, std::chrono::milliseconds later = 0ms) {
    talk.take(bytes, now += later);
    return talk.next();
  }
  std::string refused() const {
    BOOST_REQUIRE((talk.next() == step::refuse));
    return std::string{kind_of(talk.why().code).word};
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(conversation, at_the_door)

BOOST_AUTO_TEST_CASE(requests_are_served_one_after_the_other_however_they_came) {
  const auto all = get_a + post_of("{}") + get_a;
  for (const std::size_t piece : {all.size(), std::size_t{1}, std::size_t{7}}) {
    connection one{settings, now};
    std::string seen;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      one.take(std::string_view{all}.substr(at, piece), now);
      for (; one.next() != step::read;) {
        if (one.next() == step::admit) {
          one.admitted();
          break;
        }
        BOOST_REQUIRE((one.next() == step::serve));
        seen += std::string{one.given().path} + std::string{one.body()} + " ";
        one.answered(true, now);
      }
    }
    BOOST_TEST(seen == "/a /p{} /a ");
  }
}

BOOST_AUTO_TEST_CASE(the_next_request_waits_until_the_one_before_is_answered) {
  BOOST_TEST((say(get_a + post_of("x")) == step::serve));
  BOOST_TEST(talk.given().path == "/a");
  talk.answered(true, now);
  BOOST_TEST((talk.next() == step::serve));
  BOOST_TEST(talk.body() == "x");
  talk.answered(false, now); // the last one
  BOOST_TEST((talk.next() == step::close));
}

BOOST_AUTO_TEST_CASE(a_body_is_read_only_when_its_head_was_admitted) {
  const auto whole = post_of("12345", "Expect: 100-continue\r\n");
  BOOST_TEST((say(whole.substr(0, whole.size() - 5)) == step::admit));
  BOOST_TEST(talk.invites());
  talk.admitted();
  BOOST_TEST((talk.next() == step::read));
  BOOST_TEST((say("123") == step::read));
  BOOST_TEST(!talk.invites());
  BOOST_TEST((say("45" + get_a) == step::serve));
  BOOST_TEST(talk.body() == "12345");
}

BOOST_AUTO_TEST_CASE(a_body_after_a_refusal_is_no_request) {
  const auto whole = post_of(get_a);
  BOOST_TEST((say(whole.substr(0, whole.size() - get_a.size())) == step::admit));
  talk.answered(false, now);
  BOOST_TEST((talk.next() == step::close));
}

BOOST_AUTO_TEST_CASE(each_bound_is_found_at_its_byte) {
  const auto refused_after = [&](const std::string& bytes, std::size_t at) {
    connection one{settings, now};
    one.take(std::string_view{bytes}.substr(0, at), now);
    BOOST_TEST((one.next() == step::read), at);
    one.take(std::string_view{bytes}.substr(at), now);
    BOOST_REQUIRE((one.next() == step::refuse));
    return std::string{kind_of(one.why().code).word};
  };
  const std::string endless(20'000, 'A'), line = "GET /a HTTP/1.1\r\n";
  BOOST_TEST(refused_after(endless, 8192) == "headers-too-large");
  BOOST_TEST(refused_after("GET /" + endless, 8192) == "target-too-long");
  BOOST_TEST(refused_after(line + "X: " + endless, line.size() + 8192) == "headers-too-large");
  std::string lines = line;
  while (lines.size() < 20'000)
    lines += "X: " + std::string(200, 'y') + "\r\n";
  BOOST_TEST(refused_after(lines, 16'384) == "headers-too-large");
  const auto long_path = "GET /" + std::string(2'048, 'a') + " HTTP/1.1\r\nHost: a\r\n\r";
  BOOST_TEST(refused_after(long_path + "\n", long_path.size()) == "target-too-long");
}

BOOST_AUTO_TEST_CASE(what_no_client_means_is_refused_at_once) {
  for (const auto* bytes : {"\x16\x03\x01", "{}", "\n", "\r ", "GET / HTTP/1.1\n", " GET /"}) {
    connection one{settings, now};
    one.take(bytes, now);
    BOOST_TEST((one.next() == step::refuse), bytes);
  }
  BOOST_TEST((say("\r\n\r\n\r") == step::read)); // left over from a request before
  BOOST_TEST((say("\n" + get_a) == step::serve));
  talk.answered(true, now);
  std::string empty_lines;
  for (int i = 0; i < 9; ++i)
    empty_lines += "\r\n";
  say(empty_lines);
  BOOST_TEST(refused() == "malformed-http");
}

BOOST_AUTO_TEST_CASE(a_deadline_counts_from_the_first_byte_and_no_drip_moves_it) {
  BOOST_TEST((talk.deadline() == now + settings.request_max));
  say("\r\n", 5s); // no request yet
  BOOST_TEST((talk.deadline() == instant{1h} + settings.request_max));
  say("G", 5s);
  const auto due = now + settings.request_max;
  for (const char c : std::string{"ET /a HTTP/1.1\r\nHo"})
    say({c}, 300ms);
  BOOST_TEST((talk.deadline() == due));
  talk.late();
  BOOST_TEST(refused() == "request-timeout");
}

BOOST_AUTO_TEST_CASE(who_has_asked_once_may_be_silent_for_longer) {
  say(get_a, 5s);
  talk.answered(true, now);
  BOOST_TEST((talk.deadline() == now + settings.idle_max));
}

BOOST_AUTO_TEST_CASE(a_deadline_holds_for_the_body_too_and_an_idle_peer_is_just_closed) {
  const auto whole = post_of("12345");
  say(whole.substr(0, whole.size() - 5));
  const auto due = talk.deadline();
  talk.admitted();
  say("1", 3s);
  BOOST_TEST((talk.deadline() == due));
  talk.late();
  BOOST_TEST(refused() == "request-timeout");
  connection idle{settings, now};
  idle.late();
  BOOST_TEST((idle.next() == step::close));
}

BOOST_AUTO_TEST_CASE(a_stop_closes_the_idle_refuses_what_has_not_begun_and_lets_the_rest_finish) {
  connection idle{settings, now};
  idle.stop();
  BOOST_TEST((idle.next() == step::close));
  connection half{settings, now};
  half.take("GET /a HT", now);
  half.stop();
  BOOST_TEST((half.next() == step::refuse));
  BOOST_TEST(kind_of(half.why().code).word == "stopping");
  const auto whole = post_of("12345");
  say(whole.substr(0, whole.size() - 1));
  talk.admitted();
  talk.stop();
  BOOST_TEST((say("5") == step::serve));
}

BOOST_AUTO_TEST_CASE(what_is_held_is_bounded_and_given_back) {
  const auto whole = post_of(std::string(settings.body_bytes_max, 'b'));
  for (std::size_t at = 0; at < whole.size(); at += 16'384) {
    say(whole.substr(at, 16'384));
    if (talk.next() == step::admit) talk.admitted();
    BOOST_TEST(talk.bytes_held() <= settings.head_bytes_max + settings.body_bytes_max + 16'384);
  }
  BOOST_TEST((talk.next() == step::serve));
  talk.answered(true, now);
  BOOST_TEST(talk.bytes_held() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
