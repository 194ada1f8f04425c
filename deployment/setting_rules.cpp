#include <algorithm>

#include "deployment/settings.hpp"

#include "deployment/trouble.hpp"

namespace arauto::deployment {

namespace {

std::string named(const settings& from, const std::string& name) {
  const auto found = from.given.find(name);
  return found == from.given.end() ? name : name + " (" + found->second + ")";
}

void need(bool good, const settings& from, const std::string& one, const std::string& says,
          const std::string& other) {
  if (!good) throw trouble{named(from, one) + " " + says + " " + named(from, other)};
}

void not_both(const settings& from, const std::string& one, const std::string& other) {
  need(!from.was_given(one) || !from.was_given(other), from, one, "contradicts", other);
}

void comes_with(const settings& from, const std::string& one, const std::string& other) {
  need(!from.was_given(one) || from.was_given(other), from, one, "needs", other);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

bool is_verified(channels::tls_mode mode) {
  return mode == channels::tls_mode::required || mode == channels::tls_mode::implicit;
}

void check_office(const settings& s) {
  need(s.office.lease_margin < s.office.lease, s, "node.lease_margin", "must be less than",
       "node.lease");
  need(s.office.retry.base <= s.office.retry.cap, s, "retry.base", "must not exceed", "retry.cap");
  // A number its rule does not look at was meant to do something.
  const auto belongs_to = [&](const char* name, doubt_rule rule) {
    need(s.office.doubt.rule == rule || !s.was_given(name), s, name, "means nothing with",
         "doubt.rule");
  };
  belongs_to("doubt.resend_after", doubt_rule::resend);
  belongs_to("doubt.resends_max", doubt_rule::resend);
  belongs_to("doubt.wait_for", doubt_rule::wait);
  need(s.office.accept_batch_max <= s.office.accepts_max, s, "node.accept_batch_max",
       "must not exceed", "node.accepts_max");
  need(s.office.database.statement_timeout <= s.office.database.silence_timeout, s,
       "database.statement_timeout", "must not exceed", "database.silence_timeout");
}

void check_mail(const settings& s) {
  const auto& mail = s.mail;
  if (mail.transport == mail_transport::file) not_both(s, "mail.transport", "smtp.host");
  if (mail.transport == mail_transport::smtp) {
    comes_with(s, "mail.transport", "smtp.host");
    not_both(s, "mail.transport", "mail.directory");
  }
  not_both(s, "smtp.host", "mail.directory");
  for (const auto* name :
       {"smtp.port", "smtp.tls", "smtp.user", "smtp.ca_file", "smtp.connections_max"})
    comes_with(s, name, "smtp.host");
  not_both(s, "smtp.password", "smtp.password_file");
  if (s.was_given("smtp.user"))
    need(s.was_given("smtp.password") || s.was_given("smtp.password_file"), s, "smtp.user", "needs",
         "smtp.password_file");
  comes_with(s, "smtp.password", "smtp.user");
  comes_with(s, "smtp.password_file", "smtp.user");
  // A password may cross no wire that somebody could read or make us speak plain on.
  if (s.was_given("smtp.user") && !mail.smtp.auth_without_tls && !is_verified(mail.smtp.tls))
    throw trouble{named(s, "smtp.user") + " needs " + named(s, "smtp.tls") + " = required"};
  need(!s.was_given("smtp.ca_file") || is_verified(mail.smtp.tls), s, "smtp.ca_file", "contradicts",
       "smtp.tls");
}

void check_push(const settings& s) {
  comes_with(s, "fcm.url", "fcm.service_account_file");
  for (const auto* name :
       {"apns.key_id", "apns.team_id", "apns.environment", "apns.topic", "apns.url"})
    comes_with(s, name, "apns.key_file");
  comes_with(s, "apns.key_file", "apns.key_id");
  comes_with(s, "apns.key_file", "apns.team_id");
  not_both(s, "apns.environment", "apns.url");
  comes_with(s, "web_push.private_key_file", "web_push.subject");
  comes_with(s, "web_push.subject", "web_push.private_key_file");
  // While one push waits for its answer nobody else may begin it again.
  need(s.push.answer_timeout <= s.office.lease - s.office.lease_margin, s, "push.answer_timeout",
       "must end within node.lease_margin of", "node.lease");
}

} // namespace

void derive_settings(settings& what) {
  if (!what.was_given("node.lease_margin")) // a short lease keeps a margin that fits
    what.office.lease_margin = std::min(what.office.lease_margin, what.office.lease / 4);
  if (!what.was_given("push.answer_timeout"))
    what.push.answer_timeout =
        std::min(what.push.answer_timeout, what.office.lease - what.office.lease_margin);
  what.http.attempts_max = what.office.retry.attempts_max;
  auto& smtp = what.mail.smtp;
  if (smtp.sender_address.empty()) smtp.sender_address = "arauto@localhost";
  smtp.auth_without_tls = is_loopback(smtp.host);
  if (is_loopback(smtp.host) && !what.was_given("smtp.tls"))
    smtp.tls = channels::tls_mode::opportunistic;
  if (what.mail.transport == mail_transport::undecided && what.was_given("smtp.host"))
    what.mail.transport = mail_transport::smtp;
}

void check_contradictions(const settings& what) {
  not_both(what, "database.url", "database.url_file");
  not_both(what, "client.key", "client.key_file");
  comes_with(what, "tls.certificate", "tls.key");
  comes_with(what, "tls.key", "tls.certificate");
  check_office(what);
  check_mail(what);
  check_push(what);
}

} // namespace arauto::deployment
