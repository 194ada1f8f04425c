// TLS and AUTH: who is spoken to, and what is not said before that is known (S26, S28).
#include <chrono>

#include <boost/test/unit_test.hpp>

#include "tests/channels/smtp_fixture.hpp"
#include "tests/support/mail_oracle.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;

namespace {

constexpr long day = 86'400;
const std::string usual_names = "DNS:localhost,IP:127.0.0.1";

struct secure_peer {
  explicit secure_peer(const std::string& names = usual_names, long seconds_left = day)
      : papers{make_certificate(room.path(), names, seconds_left)} {
    script.tls = &papers;
    script.offers = {"STARTTLS", "PIPELINING", "AUTH PLAIN LOGIN"};
  }

  smtp_settings settings(const smtp_peer& peer) const {
    auto made = settings_for(peer.port());
    made.tls = tls_mode::required;
    made.ca_file = papers.certificate_file;
    made.command_timeout = milliseconds{2'000};
    return made;
  }

  own_directory room;
  certificate papers;
  peer_script script;
};

// Nothing that matters may have left in clear text.
void said_nothing(const smtp_peer& peer) {
  for (const auto* start : {"MAIL", "RCPT", "DATA", "AUTH", "."})
    BOOST_TEST(peer.times_heard(start) == 0);
}

smtp_settings with_password(smtp_settings settings) {
  settings.user = "ana";
  settings.password = "sesame";
  return settings;
}

} // namespace

BOOST_AUTO_TEST_SUITE(smtp_tls)

BOOST_AUTO_TEST_CASE(a_verified_peer_gets_the_message_after_a_second_ehlo) {
  for (const auto* host : {"127.0.0.1", "localhost"}) {
    secure_peer secure;
    smtp_peer peer{secure.script};
    auto settings = secure.settings(peer);
    settings.host = host;
    const auto out = port_with(settings);
    BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
    BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
    BOOST_TEST(peer.connections() == 1);
    BOOST_TEST(peer.times_heard("EHLO") == 2);
    BOOST_TEST(peer.times_heard("STARTTLS") == 1);
  }
}

BOOST_AUTO_TEST_CASE(implicit_tls_begins_with_the_first_byte) {
  secure_peer secure;
  secure.script.implicit_tls = true;
  secure.script.one_byte_packets = true;
  smtp_peer peer{secure.script};
  auto settings = secure.settings(peer);
  settings.tls = tls_mode::implicit;
  const auto out = port_with(settings);
  BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
  BOOST_TEST(peer.times_heard("EHLO") == 1);
  BOOST_TEST(peer.packets().empty());
}

BOOST_AUTO_TEST_CASE(a_large_message_arrives_whole_through_tls) {
  secure_peer secure;
  smtp_peer peer{secure.script};
  const auto out = port_with(secure.settings(peer));
  const auto what = *out->compose(mail_to("ana@example.com", std::string(5'000'000, 'x')));
  auto future = begin_send(*out, what);
  BOOST_TEST(in_short(result_of(future)) == "accepted 250");
  BOOST_TEST((peer.contents().at(0) == what.bytes));
}

// S28 a
BOOST_AUTO_TEST_CASE(a_server_that_offers_no_tls_hears_nothing) {
  secure_peer secure;
  secure.script.offers = {"PIPELINING", "AUTH PLAIN"};
  smtp_peer peer{secure.script};
  const auto answer = send_one(*port_with(with_password(secure.settings(peer))));
  BOOST_TEST(in_short(answer) == "account_refused tls_not_offered");
  BOOST_TEST(peer.is_left(1));
  said_nothing(peer);
}

// S28 b
BOOST_AUTO_TEST_CASE(a_refused_starttls_is_never_followed_by_clear_text) {
  for (const auto& [words, expected] :
       {std::pair{"454 4.7.0 not now\r\n", "not_begun tls_not_ready 454"},
        {"502 5.5.1 never\r\n", "account_refused tls_not_offered 502"}}) {
    secure_peer secure;
    secure.script.reply = answering("STARTTLS", words);
    smtp_peer peer{secure.script};
    BOOST_TEST(in_short(send_one(*port_with(with_password(secure.settings(peer))))) == expected);
    BOOST_TEST(peer.is_left(1));
    said_nothing(peer);
  }
}

// S28 c
BOOST_AUTO_TEST_CASE(clear_text_behind_the_agreement_to_begin_tls_ends_the_conversation) {
  secure_peer secure;
  secure.script.after_starttls = "250-AUTH PLAIN\r\n250 x\r\n";
  smtp_peer peer{secure.script};
  const auto answer = send_one(*port_with(with_password(secure.settings(peer))));
  BOOST_TEST(in_short(answer) == "account_refused tls_tampered");
  BOOST_TEST(peer.is_left(1));
  said_nothing(peer);
}

// S28 d
BOOST_AUTO_TEST_CASE(a_certificate_of_the_wrong_name_age_or_authority_is_not_believed) {
  struct row {
    const char* names;
    long seconds_left;
    bool own_authority;
  };
  for (const auto& [names, seconds_left, own_authority] :
       {row{"DNS:mail.other.example,IP:127.0.0.2", day, true},
        row{"DNS:localhost,IP:127.0.0.1", -day, true},
        row{"DNS:localhost,IP:127.0.0.1", day, false}}) {
    secure_peer secure{names, seconds_left};
    const own_directory elsewhere;
    smtp_peer peer{secure.script};
    auto settings = with_password(secure.settings(peer));
    if (!own_authority)
      settings.ca_file = make_certificate(elsewhere.path(), usual_names, day).certificate_file;
    const auto answer = send_one(*port_with(settings));
    BOOST_TEST(in_short(answer) == "account_refused tls_unverified");
    BOOST_TEST(answer.detail != "");
    BOOST_TEST(peer.is_left(1));
    said_nothing(peer);
  }
}

// S28 e
BOOST_AUTO_TEST_CASE(a_handshake_that_stalls_gives_the_attempt_back) {
  for (const auto mode : {tls_mode::implicit, tls_mode::required}) {
    peer_script script;
    script.offers = {"STARTTLS"};
    script.implicit_tls = mode == tls_mode::implicit;
    smtp_peer peer{script};
    secure_peer secure;
    auto settings = with_password(secure.settings(peer));
    settings.tls = mode;
    settings.command_timeout = milliseconds{150};
    BOOST_TEST(in_short(send_one(*port_with(settings))) == "not_begun timed_out");
    BOOST_TEST(peer.is_left(1));
    said_nothing(peer);
  }
}

BOOST_AUTO_TEST_CASE(words_that_are_no_tls_fail_the_handshake) {
  smtp_peer peer{{}}; // greets in clear text
  secure_peer secure;
  auto settings = secure.settings(peer);
  settings.tls = tls_mode::implicit;
  BOOST_TEST(in_short(send_one(*port_with(settings))) == "account_refused tls_failed");
}

BOOST_AUTO_TEST_CASE(opportunistic_tls_takes_what_it_gets) {
  for (const auto offered : {true, false}) {
    secure_peer secure{"DNS:mail.other.example"};
    if (!offered) secure.script.offers = {};
    smtp_peer peer{secure.script};
    auto settings = secure.settings(peer);
    settings.tls = tls_mode::opportunistic;
    BOOST_TEST(in_short(send_one(*port_with(settings))) == "accepted 250");
    BOOST_TEST(peer.times_heard("STARTTLS") == (offered ? 1 : 0));
  }
}

BOOST_AUTO_TEST_CASE(opportunistic_tls_is_not_good_enough_for_a_password) {
  for (const auto offered : {true, false}) {
    secure_peer secure{"DNS:mail.other.example"};
    if (!offered) secure.script.offers = {"AUTH PLAIN"};
    smtp_peer peer{secure.script};
    auto settings = with_password(secure.settings(peer));
    settings.tls = tls_mode::opportunistic;
    const auto expected =
        offered ? "account_refused tls_unverified" : "account_refused tls_not_offered";
    BOOST_TEST(in_short(send_one(*port_with(settings))) == expected);
    said_nothing(peer);
  }
}

// S26
BOOST_AUTO_TEST_CASE(auth_uses_what_the_server_offers) {
  for (const auto* offer : {"AUTH PLAIN LOGIN", "AUTH LOGIN", "AUTH=LOGIN"}) {
    secure_peer secure;
    secure.script.offers = {"STARTTLS", offer};
    int secrets = 0;
    secure.script.reply = [&](const heard& what) -> std::string {
      if (what.verb == "secret" && ++secrets == 1) return "334 UGFzc3dvcmQ6\r\n";
      return usual_reply(what);
    };
    smtp_peer peer{secure.script};
    BOOST_TEST(in_short(send_one(*port_with(with_password(secure.settings(peer)))))
               == "accepted 250");
    const auto plain = std::string{offer}.find("PLAIN") != std::string::npos;
    BOOST_TEST(peer.times_heard(plain ? "AUTH PLAIN AGFuYQBzZXNhbWU=" : "AUTH LOGIN") == 1);
    if (plain) continue;
    BOOST_TEST(peer.times_heard("YW5h") == 1);
    BOOST_TEST(peer.times_heard("c2VzYW1l") == 1);
  }
}

// S26
BOOST_AUTO_TEST_CASE(a_refused_password_is_the_accounts_trouble_and_not_the_messages) {
  for (const auto& [words, expected] :
       {std::pair{"535 5.7.8 no\r\n", "account_refused auth_refused 535"},
        {"454 4.7.0 later\r\n", "not_begun auth_not_ready 454"},
        {"334 more?\r\n", "not_begun odd_reply 334"}}) {
    secure_peer secure;
    secure.script.reply = answering("AUTH", words);
    smtp_peer peer{secure.script};
    BOOST_TEST(in_short(send_one(*port_with(with_password(secure.settings(peer))))) == expected);
    BOOST_TEST(peer.times_heard("MAIL") == 0);
  }
  secure_peer secure;
  secure.script.offers = {"STARTTLS", "AUTH GSSAPI"};
  smtp_peer peer{secure.script};
  BOOST_TEST(in_short(send_one(*port_with(with_password(secure.settings(peer)))))
             == "account_refused auth_not_offered");
}

BOOST_AUTO_TEST_CASE(a_password_travels_in_clear_text_only_when_that_was_asked_for) {
  peer_script script;
  script.offers = {"AUTH PLAIN"};
  smtp_peer peer{script};
  auto settings = with_password(settings_for(peer.port()));
  BOOST_TEST(in_short(send_one(*port_with(settings))) == "account_refused auth_needs_tls");
  BOOST_TEST(peer.times_heard("AUTH") == 0);
  settings.auth_without_tls = true;
  BOOST_TEST(in_short(send_one(*port_with(settings))) == "accepted 250");
  BOOST_TEST(peer.times_heard("AUTH PLAIN AGFuYQBzZXNhbWU=") == 1);
}

BOOST_AUTO_TEST_SUITE_END()
