// The SMTP port against servers written by others: Postfix's smtp-sink and Python's aiosmtpd.
#include <chrono>
#include <set>

#include <boost/test/unit_test.hpp>

#include "tests/channels/smtp_fixture.hpp"
#include "tests/support/mail_oracle.hpp"
#include "tests/support/real_mail_servers.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;

BOOST_AUTO_TEST_SUITE(smtp_real_peers)

BOOST_AUTO_TEST_CASE(smtp_sink_takes_two_thousand_messages_on_a_few_connections) {
  smtp_sink sink;
  auto settings = settings_for(sink.port());
  settings.connections_max = 8;
  const auto out = port_with(settings);
  const auto what = *out->compose(mail_to("ana@example.com"));
  std::vector<std::future<outcome>> all;
  for (int n = 0; n < 2'000; ++n)
    all.push_back(begin_send(*out, what));
  std::map<std::string, int> counted;
  for (auto& each : all)
    ++counted[in_short(result_of(each))];
  BOOST_TEST(counted["accepted 250"] == 2'000);
}

BOOST_AUTO_TEST_CASE(smtp_sinks_own_refusals_and_losses_are_named) {
  const auto said = [](const std::vector<std::string>& options) {
    smtp_sink sink{options};
    return in_short(send_one(*port_with(settings_for(sink.port()))));
  };
  BOOST_TEST(said({"-r", "mail"}).find("refused_for_now") == 0u);
  BOOST_TEST(said({"-f", "rcpt"}).find("refused ") == 0u);
  BOOST_TEST(said({"-f", "data"}).find("refused ") == 0u);
  BOOST_TEST(said({"-r", "."}).find("refused_for_now") == 0u);
  BOOST_TEST(said({"-f", "."}).find("refused ") == 0u);
  BOOST_TEST(said({"-q", "mail"}) == "not_begun connection_lost");
  BOOST_TEST(said({"-q", "."}) == "unknown lost_answer");
  BOOST_TEST(said({"-Q", "."}) == "refused_for_now provider_closing 421");
  BOOST_TEST(said({"-p"}) == "accepted 250"); // no pipelining
  BOOST_TEST(said({"-e"}) == "accepted 250"); // no EHLO
}

// S24, S29
BOOST_AUTO_TEST_CASE(aiosmtpd_receives_what_was_sent_over_tls_with_a_password) {
  own_directory room;
  const auto papers = make_certificate(room.path(), "DNS:localhost,IP:127.0.0.1", 86'400);
  const own_directory mailbox;
  aiosmtpd_peer peer{mailbox.path(), papers};
  auto settings = settings_for(peer.port());
  settings.tls = tls_mode::required;
  settings.ca_file = papers.certificate_file;
  settings.user = "ana";
  settings.password = "sesame";
  settings.connections_max = 1;
  const auto out = port_with(settings);

  const std::string bodies[] = {".\n..\n.text\n", "Olá 🎉\n", std::string(3'000, 'x') + "\n",
                                "blanks  \n\n\n"};
  std::vector<std::string> kept;
  for (const auto& body : bodies) {
    auto what = mail_to("josé@example.com", body);
    what.to_name = "José, \"Zé\"";
    what.parts.push_back({"html", "<p>" + body + "</p>"});
    what.parts[0].text = "Olá: " + body.substr(0, body.find('\n'));
    auto future = begin_send(*out, *out->compose(what));
    const auto answer = result_of(future);
    BOOST_TEST(in_short(answer) == "accepted 250");
    BOOST_TEST(answer.provider_ref == "Ok: queued as AIO" + std::to_string(kept.size() + 1));
    kept.push_back(file_bytes(mailbox.path() + "/" + std::to_string(kept.size() + 1) + ".eml"));
  }
  const auto seen = read_mails(kept);
  for (std::size_t n = 0; n < kept.size(); ++n) {
    BOOST_TEST(kept[n].find("X-Peer-Rcpt: josé@example.com\r\n") == 0u);
    BOOST_TEST(with_lf(seen[n].at("plain")) == bodies[n]);
    BOOST_TEST(with_lf(seen[n].at("html")) == "<p>" + bodies[n] + "</p>");
    BOOST_TEST(seen[n].at("subject") == "Olá: " + bodies[n].substr(0, bodies[n].find('\n')));
    BOOST_TEST(seen[n].at("to_name") == "José, \"Zé\"");
  }
}

// S26
BOOST_AUTO_TEST_CASE(aiosmtpd_refuses_a_wrong_password_and_the_account_is_blamed) {
  own_directory room;
  const auto papers = make_certificate(room.path(), "DNS:localhost,IP:127.0.0.1", 86'400);
  aiosmtpd_peer peer{room.path(), papers};
  auto settings = settings_for(peer.port());
  settings.tls = tls_mode::required;
  settings.ca_file = papers.certificate_file;
  settings.user = "ana";
  settings.password = "guess";
  BOOST_TEST(in_short(send_one(*port_with(settings))) == "account_refused auth_refused 535");
}

BOOST_AUTO_TEST_SUITE_END()
