// The SMTP port against a peer that does as it is told: what goes over the wire, what replies mean,
// how connections are used again.
#include <algorithm>
#include <chrono>

#include <boost/test/unit_test.hpp>

#include "actors/channels/smtp_transaction.hpp"
#include "tests/channels/smtp_fixture.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;

namespace {

std::size_t size_of(const composed& what) {
  return what.bytes.size();
}

// The outcome of one message to a peer that gives `words` for `verb`.
std::string outcome_with(const std::string& verb, const std::string& words,
                         bool pipelining = true) {
  auto script = script_answering(verb, words);
  if (!pipelining) script.offers.clear();
  smtp_peer peer{script};
  const auto out = port_with(settings_for(peer.port()));
  return in_short(send_one(*out));
}

} // namespace

BOOST_AUTO_TEST_SUITE(smtp_port)

BOOST_AUTO_TEST_CASE(an_accepted_message_arrives_byte_for_byte) {
  smtp_peer peer{{}};
  const auto out = port_with(settings_for(peer.port()));
  const auto what = *out->compose(mail_to("ana@example.com", ".\n..two\n.three\nend"));
  auto future = begin_send(*out, what);
  const auto answer = result_of(future);
  BOOST_TEST(in_short(answer) == "accepted 250");
  BOOST_TEST(answer.provider_ref == "Ok: queued as TEST1");
  BOOST_TEST_REQUIRE(peer.contents().size() == 1u);
  BOOST_TEST(peer.contents()[0] + ".\r\n" == content_with_dot(what.bytes));
  const std::vector<std::string> expected{"1:EHLO loja.example",
                                          "1:MAIL FROM:<no-reply@loja.example> SIZE="
                                              + std::to_string(size_of(what)),
                                          "1:RCPT TO:<ana@example.com>", "1:DATA", "1:."};
  BOOST_TEST(peer.lines() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(envelope_and_data_leave_in_one_packet_where_pipelining_is_offered) {
  smtp_peer peer{{}};
  const auto out = port_with(settings_for(peer.port()));
  send_one(*out);
  BOOST_TEST_REQUIRE(peer.packets().size() == 3u); // EHLO; MAIL, RCPT, DATA; content
  BOOST_TEST(peer.packets()[1].find("MAIL FROM:") == 0u);
  BOOST_TEST(peer.packets()[1].find("\r\nDATA\r\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(without_pipelining_each_command_waits_for_its_reply) {
  peer_script script;
  script.offers = {};
  smtp_peer peer{script};
  const auto out = port_with(settings_for(peer.port()));
  BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
  BOOST_TEST(peer.packets().size() == 5u);
  BOOST_TEST(peer.times_heard("MAIL FROM:<no-reply@loja.example>") == 1);
  BOOST_TEST(peer.times_heard("MAIL FROM:<no-reply@loja.example> SIZE") == 0);
}

BOOST_AUTO_TEST_CASE(a_server_that_knows_no_ehlo_is_greeted_the_old_way) {
  smtp_peer peer{script_answering("EHLO", "502 5.5.1 what?\r\n")};
  const auto out = port_with(settings_for(peer.port()));
  BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
  BOOST_TEST(peer.times_heard("HELO loja.example") == 1);
}

BOOST_AUTO_TEST_CASE(the_next_message_uses_the_same_connection_without_ceremony) {
  smtp_peer peer{{}};
  const auto out = port_with(settings_for(peer.port()));
  for (int n = 0; n < 5; ++n)
    BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
  BOOST_TEST(peer.connections() == 1);
  BOOST_TEST(peer.times_heard("EHLO") == 1);
  BOOST_TEST(peer.times_heard("RSET") == 0);
}

BOOST_AUTO_TEST_CASE(no_more_connections_are_open_than_allowed) {
  smtp_peer peer{{}};
  auto settings = settings_for(peer.port());
  settings.connections_max = 4;
  const auto out = port_with(settings);
  BOOST_TEST(out->sends_max() == 4u);
  std::vector<std::future<outcome>> all;
  for (int n = 0; n < 40; ++n)
    all.push_back(begin_send(*out, *out->compose(mail_to("ana@example.com"))));
  for (auto& each : all)
    BOOST_TEST(in_short(result_of(each)) == "accepted 250");
  BOOST_TEST(peer.connections_open_max() <= 4);
  BOOST_TEST(peer.contents().size() == 40u);
}

BOOST_AUTO_TEST_CASE(a_connection_is_closed_after_its_last_allowed_message) {
  smtp_peer peer{{}};
  auto settings = settings_for(peer.port());
  settings.messages_max = 2;
  const auto out = port_with(settings);
  for (int n = 0; n < 4; ++n)
    send_one(*out);
  BOOST_TEST(peer.connections() == 2);
  BOOST_TEST(peer.hears("QUIT", 2));
}

BOOST_AUTO_TEST_CASE(an_idle_connection_is_closed_in_time) {
  smtp_peer peer{{}};
  auto settings = settings_for(peer.port());
  settings.idle_timeout = milliseconds{50};
  const auto out = port_with(settings);
  send_one(*out);
  BOOST_TEST(peer.hears("QUIT"));
  BOOST_TEST(peer.is_left(1));
}

// S25
BOOST_AUTO_TEST_CASE(split_wordless_and_long_winded_replies_are_understood) {
  peer_script script;
  script.one_byte_packets = true;
  script.reply = [](const heard& what) -> std::string {
    if (what.verb.empty()) return "220-a\r\n220-b\r\n220-c\r\n220-d\r\n220 e\r\n";
    if (what.verb == "MAIL") return "250\r\n";
    if (what.verb == "RCPT") return "251 2.1.5 will forward\r\n";
    return usual_reply(what);
  };
  smtp_peer peer{script};
  const auto out = port_with(settings_for(peer.port()));
  BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
}

// S25
BOOST_AUTO_TEST_CASE(an_odd_reply_is_never_success_and_never_final) {
  for (const auto& odd : {"999 what\r\n" + std::string{}, "250 " + std::string(70'000, 'x'),
                          "hello\r\n" + std::string{}}) {
    BOOST_TEST(outcome_with("MAIL", odd) == "not_begun odd_reply");
    BOOST_TEST(outcome_with("RCPT", odd) == "refused_for_now lost_before_content_end");
    BOOST_TEST(outcome_with("DATA", odd) == "refused_for_now lost_before_content_end");
    BOOST_TEST(outcome_with(".", odd) == "unknown lost_answer");
  }
  BOOST_TEST(outcome_with("MAIL", "354 odd\r\n") == "refused_for_now odd_reply 354");
  BOOST_TEST(outcome_with("DATA", "250 odd\r\n") == "refused_for_now odd_reply 250");
  BOOST_TEST(outcome_with(".", "354 odd\r\n") == "unknown odd_reply 354");
}

// S25
BOOST_AUTO_TEST_CASE(an_answer_given_before_the_content_is_no_answer_to_it) {
  BOOST_TEST(outcome_with("DATA", "354 go on\r\n250 2.0.0 Ok\r\n")
             == "refused_for_now lost_before_content_end");
}

// S26
BOOST_AUTO_TEST_CASE(refusals_mean_the_same_at_every_stage_and_with_or_without_pipelining) {
  struct row {
    const char* words;
    const char* at_mail;
    const char* at_rcpt;
    const char* at_dot;
  };
  const row rows[] = {
      {"421 4.7.0 busy\r\n", "refused_for_now provider_closing 421",
       "refused_for_now provider_closing 421", "refused_for_now provider_closing 421"},
      {"450 4.2.0 later\r\n", "refused_for_now greylisted 450", "refused_for_now greylisted 450",
       "refused_for_now greylisted 450"},
      {"451 4.3.0 later\r\n", "refused_for_now provider_busy 451",
       "refused_for_now provider_busy 451", "refused_for_now provider_busy 451"},
      {"452 4.2.2 full\r\n", "refused_for_now mailbox_full 452", "refused_for_now mailbox_full 452",
       "refused_for_now mailbox_full 452"},
      {"550 5.1.1 who?\r\n", "refused sender_refused 550", "bad_address recipient_unknown 550",
       "refused content_refused 550"},
      {"550-5.7.1 no\r\n550-5.7.1 12 reasons\r\n550 5.7.1 no\r\n", "refused policy_refused 550",
       "refused policy_refused 550", "refused policy_refused 550"},
      {"552 5.2.2 full\r\n", "refused mailbox_full 552", "refused mailbox_full 552",
       "refused mailbox_full 552"},
      {"552 5.3.4 large\r\n", "refused too_large 552", "refused too_large 552",
       "refused too_large 552"},
      {"554 5.7.1 no\r\n", "refused policy_refused 554", "refused policy_refused 554",
       "refused policy_refused 554"},
      {"550 no\r\n", "refused sender_refused 550", "refused recipient_refused 550",
       "refused content_refused 550"},
  };
  for (const auto& [words, at_mail, at_rcpt, at_dot] : rows)
    for (const auto pipelining : {true, false}) {
      BOOST_TEST_CONTEXT(words << " pipelining " << pipelining) {
        BOOST_TEST(outcome_with("MAIL", words, pipelining) == at_mail);
        BOOST_TEST(outcome_with("RCPT", words, pipelining) == at_rcpt);
        BOOST_TEST(outcome_with("DATA", words, pipelining) == at_dot);
        BOOST_TEST(outcome_with(".", words, pipelining) == at_dot);
      }
    }
}

// S26
BOOST_AUTO_TEST_CASE(a_refused_recipient_costs_a_reset_and_not_the_connection) {
  for (const auto* data_reply : {"354 go on\r\n", "554 5.5.1 no valid recipients\r\n"}) {
    peer_script script;
    script.reply = [&](const heard& what) -> std::string {
      if (what.line.find("gone@") != std::string::npos) return "550 5.1.1 gone\r\n";
      if (what.verb == "DATA" && what.message == 1) return data_reply;
      if (what.verb == "." && what.message == 1) return "554 5.5.1 no valid recipients\r\n";
      return usual_reply(what);
    };
    smtp_peer peer{script};
    auto settings = settings_for(peer.port());
    settings.connections_max = 1;
    const auto out = port_with(settings);
    BOOST_TEST(in_short(send_one(*out, "gone@example.com")) == "bad_address recipient_unknown 550");
    BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
    BOOST_TEST(peer.connections() == 1);
    BOOST_TEST(peer.times_heard("RSET") == 1);
    const auto& contents = peer.contents();
    BOOST_TEST(contents.front().empty() == (data_reply[0] == '3')); // nothing was said to nobody
    BOOST_TEST(contents.back().find("Subject: Hello") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_refused_sender_with_an_accepted_recipient_gets_no_content_at_all) {
  smtp_peer peer{script_answering("MAIL", "550 5.7.1 not you\r\n")}; // but RCPT 250 and DATA 354
  const auto out = port_with(settings_for(peer.port()));
  BOOST_TEST(in_short(send_one(*out)) == "refused policy_refused 550");
  BOOST_TEST(peer.is_left(1));
  BOOST_TEST(peer.contents().empty());
}

// S26
BOOST_AUTO_TEST_CASE(trouble_before_the_message_gives_the_attempt_back) {
  BOOST_TEST(outcome_with("", "421 4.3.2 closing\r\n") == "not_begun provider_not_ready 421");
  BOOST_TEST(outcome_with("", "554 5.7.1 go away\r\n") == "account_refused greeting_refused 554");
  BOOST_TEST(outcome_with("", hang_up) == "not_begun connection_lost");
  BOOST_TEST(outcome_with("EHLO", hang_up) == "not_begun connection_lost");
  BOOST_TEST(outcome_with("EHLO", "450 later\r\n") == "not_begun provider_not_ready 450");
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_gives_the_attempt_back) {
  std::uint16_t free_port = 0;
  { free_port = smtp_peer{{}}.port(); }
  auto settings = settings_for(free_port);
  BOOST_TEST(in_short(send_one(*port_with(settings))) == "not_begun connect_failed");
  settings.host = "no-such-host.invalid";
  settings.connect_timeout = seconds{5};
  const auto answer = send_one(*port_with(settings));
  BOOST_TEST((answer.said == verdict::not_begun));
}

BOOST_AUTO_TEST_CASE(a_message_larger_than_the_server_takes_is_refused_before_mail) {
  peer_script script;
  script.offers = {"SIZE 100"};
  smtp_peer peer{script};
  const auto out = port_with(settings_for(peer.port()));
  BOOST_TEST(in_short(send_one(*out)) == "refused too_large");
  BOOST_TEST(peer.times_heard("MAIL") == 0);
}

// S29
BOOST_AUTO_TEST_CASE(smtputf8_is_asked_for_only_where_it_is_needed_and_offered) {
  for (const auto offered : {true, false}) {
    peer_script script;
    if (offered) script.offers = {"SMTPUTF8", "8BITMIME"};
    smtp_peer peer{script};
    const auto out = port_with(settings_for(peer.port()));
    BOOST_TEST(in_short(send_one(*out, "ana@exämple.com")) == "accepted 250");
    BOOST_TEST(peer.times_heard("RCPT TO:<ana@xn--exmple-cua.com>") == 1);
    BOOST_TEST(peer.times_heard("MAIL FROM:<no-reply@loja.example> SMTPUTF8") == 0);
    const auto wanted = offered ? "accepted 250" : "refused smtputf8_not_offered";
    BOOST_TEST(in_short(send_one(*out, "josé@example.com")) == wanted);
    BOOST_TEST(peer.times_heard("MAIL") == (offered ? 2 : 1));
    BOOST_TEST(peer.times_heard("MAIL FROM:<no-reply@loja.example> SMTPUTF8") == (offered ? 1 : 0));
    BOOST_TEST(in_short(send_one(*out)) == "accepted 250"); // the connection is none the worse
    BOOST_TEST(peer.connections() == 1);
  }
}

// S22
BOOST_AUTO_TEST_CASE(no_address_becomes_a_second_command) {
  smtp_peer peer{{}};
  const auto out = port_with(settings_for(peer.port()));
  for (const auto* bad : {"a@example.com>\r\nRCPT TO:<evil@example.net",
                          "a@b.example> NOTIFY=NEVER", "a b@c.example"}) {
    auto what = *out->compose(mail_to("ana@example.com"));
    what.to = bad;
    auto future = begin_send(*out, what);
    BOOST_TEST(in_short(result_of(future)) == "refused address_unusable");
  }
  BOOST_TEST(peer.connections() == 0);
}

BOOST_AUTO_TEST_CASE(settings_that_cannot_work_make_no_port) {
  const auto refusal = [](const smtp_settings& settings) {
    const auto made = make_smtp_port(settings, [] { return std::chrono::system_clock::now(); });
    return made ? "" : made.why().text;
  };
  auto settings = settings_for(25);
  BOOST_TEST(refusal(settings) == "");
  settings.host = "a b";
  BOOST_TEST(refusal(settings) == "host");
  settings = settings_for(25);
  settings.helo_name = "x\r\nMAIL";
  BOOST_TEST(refusal(settings) == "helo_name");
  settings = settings_for(25);
  settings.tls = tls_mode::required;
  settings.ca_file = "/dev/null";
  BOOST_TEST(refusal(settings) == "ca_file");
  settings = settings_for(25);
  settings.connections_max = 0;
  BOOST_TEST(refusal(settings) == "connections_max");
  settings = settings_for(25);
  settings.sender_address = "nobody";
  BOOST_TEST(refusal(settings) == "address_unusable");
}

BOOST_AUTO_TEST_SUITE_END()
