// The grammar of a request's head: what two programs could read in two ways is refused (S02-S04;
// reliability 4.2).
#include <boost/test/unit_test.hpp>

#include "http/reply.hpp"
#include "http/wire.hpp"

using namespace arauto::http;

namespace {

const std::string host = "Host: a\r\n";

or_problem<head> read_lines(const std::string& line, const std::string& fields) {
  static std::string block; // the views must outlive the call
  block = line + "\r\n" + fields + "\r\n";
  return read_head(block, {});
}

head accepted(const std::string& line, const std::string& fields) {
  auto read = read_lines(line, fields);
  BOOST_REQUIRE_MESSAGE(std::holds_alternative<head>(read), line);
  return std::get<head>(read);
}

std::string code(const std::string& line, const std::string& fields) {
  const auto read = read_lines(line, fields);
  const auto* no = std::get_if<problem>(&read);
  return no == nullptr ? "accepted" : std::string{kind_of(no->code).word};
}

std::string code_of(const std::string& fields) {
  return code("POST /v1/notifications HTTP/1.1", host + fields);
}

} // namespace

BOOST_AUTO_TEST_SUITE(wire)

BOOST_AUTO_TEST_CASE(an_ordinary_request_is_understood) {
  const auto read = accepted("POST /v1/notifications?a=b HTTP/1.1",
                             host
                                 + "authorization:  Bearer x \r\nContent-Length: 12\r\n"
                                   "CONTENT-TYPE: application/json\r\nIdempotency-Key: k 1\r\n");
  BOOST_TEST(read.method == "POST");
  BOOST_TEST(read.path == "/v1/notifications");
  BOOST_TEST(read.query == "a=b");
  BOOST_TEST(read.authorization.value() == "Bearer x");
  BOOST_TEST(read.content_type.value() == "application/json");
  BOOST_TEST(read.idempotency_key.value() == "k 1");
  BOOST_TEST(read.content_length == 12u);
  BOOST_TEST(read.keep_alive);
  BOOST_TEST(!read.expects_continue);
}

BOOST_AUTO_TEST_CASE(an_absolute_target_is_read_as_its_path) {
  BOOST_TEST(accepted("GET http://a.example/healthz?x=1 HTTP/1.1", host).path == "/healthz");
  BOOST_TEST(accepted("GET HTTP://a.example HTTP/1.1", host).path == "/");
  BOOST_TEST(accepted("GET http://a.example?x=/y HTTP/1.1", host).path == "/");
  BOOST_TEST(accepted("GET http://a.example?x=/y HTTP/1.1", host).query == "x=/y");
}

BOOST_AUTO_TEST_CASE(a_target_that_is_no_path_is_refused) {
  for (const auto* target : {"?x=/y", "healthz", "*", "ftp://a.example/healthz", "http://"})
    BOOST_TEST(code(std::string{"GET "} + target + " HTTP/1.1", host) == "malformed-http");
}

BOOST_AUTO_TEST_CASE(a_connection_stays_open_as_its_version_says) {
  const auto line = std::string{"GET / HTTP/1."};
  BOOST_TEST(accepted(line + "1", host).keep_alive);
  BOOST_TEST(!accepted(line + "1", host + "Connection: Close\r\n").keep_alive);
  BOOST_TEST(!accepted(line + "1", host + "Connection: te, close\r\n").keep_alive);
  BOOST_TEST(
      !accepted(line + "1", host + "Connection: close\r\nConnection: keep-alive\r\n").keep_alive);
  BOOST_TEST(!accepted(line + "0", "").keep_alive);
  BOOST_TEST(accepted(line + "0", "Connection: keep-alive\r\n").keep_alive);
  BOOST_TEST(!accepted(line + "0", "Connection: keep-alive, close\r\n").keep_alive);
}

BOOST_AUTO_TEST_CASE(the_end_of_a_body_is_never_a_matter_of_opinion) {
  BOOST_TEST(code_of("Content-Length: 3\r\nContent-Length: 3\r\n") == "malformed-http");
  BOOST_TEST(code_of("Content-Length: 3, 3\r\n") == "malformed-http");
  BOOST_TEST(code_of("Content-Length: +3\r\n") == "malformed-http");
  BOOST_TEST(code_of("Content-Length: -3\r\n") == "malformed-http");
  BOOST_TEST(code_of("Content-Length: 0x3\r\n") == "malformed-http");
  BOOST_TEST(code_of("Content-Length: abc\r\n") == "malformed-http");
  BOOST_TEST(code_of("Content-Length:\r\n") == "malformed-http");
  BOOST_TEST(code_of("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n") == "malformed-http");
  BOOST_TEST(code_of("Transfer-Encoding: chunked\r\n") == "transfer-encoding-refused");
  BOOST_TEST(code_of("transfer-encoding: identity\r\n") == "transfer-encoding-refused");
}

BOOST_AUTO_TEST_CASE(a_body_too_large_is_known_from_its_length) {
  BOOST_TEST(code_of("Content-Length: 262144\r\n") == "accepted");
  BOOST_TEST(code_of("Content-Length: 262145\r\n") == "too-large");
  BOOST_TEST(code_of("Content-Length: 70000000\r\n") == "too-large");
  BOOST_TEST(code_of("Content-Length: 18446744073709551617\r\n") == "too-large");
  BOOST_TEST(code_of("Content-Length: 99999999999999999999999999999999\r\n") == "too-large");
}

BOOST_AUTO_TEST_CASE(compressed_bodies_and_strange_expectations_are_refused) {
  BOOST_TEST(code_of("Content-Encoding: gzip\r\n") == "unsupported-encoding");
  BOOST_TEST(code_of("Content-Encoding: br\r\n") == "unsupported-encoding");
  BOOST_TEST(code_of("Content-Encoding: identity\r\n") == "accepted");
  BOOST_TEST(code_of("Expect: 200-ok\r\n") == "expectation-failed");
  BOOST_TEST(accepted("POST / HTTP/1.1", host + "Expect: 100-Continue\r\nContent-Length: 1\r\n")
                 .expects_continue);
  BOOST_TEST(!accepted("POST / HTTP/1.1", host + "Expect: 100-continue\r\n").expects_continue);
}

BOOST_AUTO_TEST_CASE(header_lines_follow_the_grammar_or_the_request_is_refused) {
  BOOST_TEST(code_of("Bad Name: x\r\n") == "malformed-http");
  BOOST_TEST(code_of("Name : x\r\n") == "malformed-http");
  BOOST_TEST(code_of(": x\r\n") == "malformed-http");
  BOOST_TEST(code_of("no colon\r\n") == "malformed-http");
  BOOST_TEST(code_of("A: b\r\n folded\r\n") == "malformed-http");
  BOOST_TEST(code_of("A: b\nContent-Length: 5\r\n") == "malformed-http");
  BOOST_TEST(code_of("A: b\rC: d\r\n") == "malformed-http");
  BOOST_TEST(code_of(std::string{"A: b\0c\r\n", 8}) == "malformed-http");
  BOOST_TEST(code_of("A: \x1b[31m\r\n") == "malformed-http");
  BOOST_TEST(code_of("A: \x7f\r\n") == "malformed-http");
  BOOST_TEST(code_of("A: \tb\xc3\xa9 \t\r\n") == "accepted");
  BOOST_TEST(code_of("A:\r\n") == "accepted");
  for (const auto* name : {"Host", "Authorization", "Content-Type", "Idempotency-Key", "Expect"})
    BOOST_TEST(code_of(std::string{name} + ": 1\r\n" + name + ": 1\r\n") == "malformed-http", name);
}

BOOST_AUTO_TEST_CASE(percent_signs_in_header_values_stay_what_they_are) {
  const auto read = accepted("GET / HTTP/1.1", host + "Idempotency-Key: a%0d%0ab\r\n");
  BOOST_TEST(read.idempotency_key.value() == "a%0d%0ab");
}

BOOST_AUTO_TEST_CASE(request_lines_follow_the_grammar_or_the_request_is_refused) {
  BOOST_TEST(code("GET /healthz HTTP/2.0", host) == "version-not-supported");
  BOOST_TEST(code("GET /healthz HTTP/1.1", "") == "malformed-http");
  BOOST_TEST(code("GET /healthz HTTP/1.0", "") == "accepted");
  for (const auto* line :
       {"", "GET", "GET /", "GET / ", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1",
        "GET / http/1.1", "GET / HTTP/1.1x", "G@T / HTTP/1.1", "GET /a#b HTTP/1.1",
        "GET /caf\xc3\xa9 HTTP/1.1", "GET /a\x01 HTTP/1.1", "GET /a b HTTP/1.1"})
    BOOST_TEST(code(line, host) == "malformed-http", line);
}

BOOST_AUTO_TEST_CASE(headers_are_counted) {
  std::string fields = host;
  for (int i = 1; i < 64; ++i)
    fields += "A" + std::to_string(i) + ": b\r\n";
  BOOST_TEST(code("GET / HTTP/1.1", fields) == "accepted");
  BOOST_TEST(code("GET / HTTP/1.1", fields + "One: more\r\n") == "headers-too-large");
}

BOOST_AUTO_TEST_CASE(an_answer_says_its_length_and_whether_the_connection_ends) {
  answer said;
  said.body = "{}";
  said.headers.emplace_back("Location", "/v1/notifications/x");
  const auto reply = written_reply(said, {"r-1", "Sun, 01 Mar 2026 08:15:00 GMT", false, false});
  BOOST_TEST(reply
             == "HTTP/1.1 200 OK\r\nDate: Sun, 01 Mar 2026 08:15:00 GMT\r\nX-Request-Id: r-1\r\n"
                "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                "Location: /v1/notifications/x\r\nConnection: close\r\n"
                "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  const auto head_only = written_reply(said, {"r-1", "", true, true});
  BOOST_TEST(head_only.find("Content-Length: 2\r\n\r\n") == head_only.size() - 21);
  said.status = 204;
  BOOST_TEST(written_reply(said, {"r-1", "", true, false}).find("\r\nContent-")
             == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_date_has_its_fixed_form) {
  const auto date = date_of_now();
  BOOST_TEST(date.size() == 29u);
  BOOST_TEST(date.substr(25) == " GMT");
}

BOOST_AUTO_TEST_SUITE_END()
