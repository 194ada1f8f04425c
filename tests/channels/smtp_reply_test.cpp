// Replies in every shape servers give them (S25).
#include <boost/test/unit_test.hpp>

#include "actors/channels/smtp_opening.hpp"
#include "actors/channels/smtp_reply.hpp"

using namespace arauto::channels;
using found = smtp_reply_reader::found;

namespace {

smtp_reply only_reply(const std::string& bytes) {
  smtp_reply_reader reader;
  reader.take(bytes);
  smtp_reply reply;
  BOOST_TEST_REQUIRE((reader.next(reply) == found::reply), bytes);
  BOOST_TEST(!reader.holds_more());
  return reply;
}

found verdict_on(const std::string& bytes) {
  smtp_reply_reader reader;
  reader.take(bytes);
  smtp_reply reply;
  return reader.next(reply);
}

} // namespace

BOOST_AUTO_TEST_SUITE(smtp_replies)

BOOST_AUTO_TEST_CASE(a_reply_of_many_lines_ends_with_the_line_without_a_hyphen) {
  const auto reply = only_reply("220-one\r\n220-two\r\n220-\r\n220-four\r\n220 five\r\n");
  BOOST_TEST(reply.code == 220);
  BOOST_TEST(reply.text == "one\ntwo\n\nfour\nfive");
}

BOOST_AUTO_TEST_CASE(packets_may_cut_a_reply_anywhere) {
  const std::string bytes = "250-peer\r\n250-PIPELINING\r\n250 SIZE 10\r\n";
  smtp_reply_reader reader;
  smtp_reply reply;
  for (std::size_t at = 0; at + 1 < bytes.size(); ++at) {
    reader.take(bytes.substr(at, 1));
    BOOST_TEST((reader.next(reply) == found::nothing_yet));
    BOOST_TEST(reader.holds_more());
  }
  reader.take("\n");
  BOOST_TEST((reader.next(reply) == found::reply));
  BOOST_TEST(reply.text == "peer\nPIPELINING\nSIZE 10");
}

BOOST_AUTO_TEST_CASE(replies_in_one_packet_are_taken_one_by_one) {
  smtp_reply_reader reader;
  reader.take("250 a\r\n550 5.1.1 b\r\n354 c\r\n25");
  smtp_reply reply;
  for (const auto code : {250, 550, 354}) {
    BOOST_TEST((reader.next(reply) == found::reply));
    BOOST_TEST(reply.code == code);
  }
  BOOST_TEST((reader.next(reply) == found::nothing_yet));
  BOOST_TEST(reader.holds_more());
}

BOOST_AUTO_TEST_CASE(a_reply_needs_no_words) {
  for (const auto* bytes : {"250\r\n", "250 \r\n", "250\n"}) {
    const auto reply = only_reply(bytes);
    BOOST_TEST(reply.code == 250);
    BOOST_TEST(reply.text == "");
  }
}

BOOST_AUTO_TEST_CASE(an_enhanced_code_is_taken_only_where_it_is_one) {
  BOOST_TEST(only_reply("550-5.7.1 no\r\n550-5.7.1 really\r\n550 5.7.1 no\r\n").enhanced
             == "5.7.1");
  BOOST_TEST(only_reply("550 5.1.10 null MX\r\n").enhanced == "5.1.10");
  BOOST_TEST(only_reply("250 2.0.0\r\n").enhanced == "2.0.0");
  BOOST_TEST(only_reply("550-help\r\n550 5.1.1 gone\r\n").enhanced == "5.1.1");
  for (const auto* none : {"550 5 users\r\n", "550 5.1 no\r\n", "550 4.1.1 other class\r\n",
                           "550 5.1.1234 long\r\n", "550 5.1.1.1 x\r\n", "550 55.1.1 x\r\n",
                           "550 10.0.0.1 is listed\r\n", "550 5..1 x\r\n", "550 5.1. x\r\n"})
    BOOST_TEST(only_reply(none).enhanced == "", none);
}

BOOST_AUTO_TEST_CASE(nonsense_is_named_as_such) {
  for (const auto* bytes :
       {"999 odd\r\n", "100 odd\r\n", "199 x\r\n", "600 x\r\n", "hello\r\n", "\r\n", "25\r\n",
        "250_x\r\n", "2500 x\r\n", "250-a\r\n251 b\r\n", "HTTP/1.1 400 Bad Request\r\n"})
    BOOST_TEST((verdict_on(bytes) == found::nonsense), bytes);
}

BOOST_AUTO_TEST_CASE(memory_for_a_reply_is_bounded) {
  BOOST_TEST((verdict_on("250 " + std::string(2'000, 'x') + "\r\n") == found::reply));
  BOOST_TEST((verdict_on("250 " + std::string(70'000, 'x')) == found::nonsense));
  BOOST_TEST((verdict_on("250 " + std::string(70'000, 'x') + "\r\n") == found::nonsense));
  std::string endless;
  for (int line = 0; line < 50; ++line)
    endless += "250-" + std::string(2'000, 'x') + "\r\n";
  BOOST_TEST((verdict_on(endless) == found::nonsense));
}

BOOST_AUTO_TEST_CASE(offers_are_read_whatever_their_spelling) {
  const auto offer = offer_in(only_reply("250-peer PIPELINING\r\n250-size 1000\r\n250-StartTLS\r\n"
                                         "250-AUTH=LOGIN PLAIN\r\n250 SMTPUTF8\r\n"));
  BOOST_TEST(!offer.pipelining); // that was the server's name
  BOOST_TEST(offer.size);
  BOOST_TEST(offer.size_max == 1'000u);
  BOOST_TEST(offer.starttls);
  BOOST_TEST(offer.auth_login);
  BOOST_TEST(offer.auth_plain);
  BOOST_TEST(offer.smtputf8);
  BOOST_TEST(offer_in(only_reply("250-x\r\n250 SIZE\r\n")).size);
  BOOST_TEST(offer_in(only_reply("250-x\r\n250 SIZE 99999999999999999999999\r\n")).size_max
             > 1'000'000u);
  BOOST_TEST(!offer_in(only_reply("250 x\r\n")).pipelining);
}

BOOST_AUTO_TEST_SUITE_END()
