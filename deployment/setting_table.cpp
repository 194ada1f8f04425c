#include "deployment/setting_kinds.hpp"

namespace arauto::deployment {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using rows = std::vector<setting>;

bool put_listen(settings& into, const std::string& written) {
  const auto colon = written.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  const auto port = read_whole(written.substr(colon + 1));
  if (!port || *port < 0 || *port > 65'535) return false;
  auto host = written.substr(0, colon);
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  into.http.address = host;
  into.http.port = static_cast<int>(*port);
  return !host.empty();
}

setting listen_at() {
  return {"listen", "address:port, as 127.0.0.1:8080 or [::1]:8080",
          "where the API listens; port 0: any free one", false, put_listen};
}

rows service_rows() {
  return {
      listen_at(),
      path(
          "data", "directory of `arauto dev`: database, mails, dev.json",
          [](auto& s) -> auto& { return s.data; }),
      duration<milliseconds>(
          "stop_limit", "longest orderly stop", [](auto& s) -> auto& { return s.stop_limit; }),
      choice<log::level>(
          "log.level", "least level that is logged",
          {{"debug", log::level::debug},
           {"info", log::level::info},
           {"warn", log::level::warn},
           {"error", log::level::error}},
          [](auto& s) -> auto& { return s.log_level; }),
      whole<std::size_t>(
          "http.threads", "requests in work at once", 2, 4'096,
          [](auto& s) -> auto& { return s.http.threads; }),
      whole<std::size_t>(
          "http.requests_waiting_max", "requests waiting for a thread; beyond: 503", 1, 100'000,
          [](auto& s) -> auto& { return s.http.requests_waiting_max; }),
      whole<std::size_t>(
          "http.connections_max", "open connections; beyond: an idle one goes, or 503", 16,
          1'000'000, [](auto& s) -> auto& { return s.http.connections_max; }),
      duration<milliseconds>(
          "http.idle_max", "how long a connection may be silent between two requests",
          [](auto& s) -> auto& { return s.http.idle_max; }),
      whole<std::size_t>(
          "http.body_bytes_max", "largest request body", 1'024, 16'777'216,
          [](auto& s) -> auto& { return s.http.body_bytes_max; }),
  };
}

rows tls_rows() {
  return {
      text(
          "tls.certificate", "PEM file: the API's certificate and its chain; read again on SIGHUP",
          [](auto& s) -> auto& { return s.http.certificate_file; }),
      text(
          "tls.key", "PEM file: its key, without a passphrase",
          [](auto& s) -> auto& { return s.http.key_file; }),
  };
}

rows database_rows() {
  return {
      text(
          "database.url", "libpq URL of the PostgreSQL server",
          [](auto& s) -> auto& { return s.office.database.url; }),
      text(
          "database.url_file", "file whose first line is that URL",
          [](auto& s) -> auto& { return s.database_url_file; }),
      whole<std::size_t>(
          "database.sessions_max", "sessions for HTTP handlers", 1, 500,
          [](auto& s) -> auto& { return s.database_sessions_max; }),
      duration<seconds>(
          "database.connect_timeout", "for one connection to stand",
          [](auto& s) -> auto& { return s.office.database.connect_timeout; }),
      duration<milliseconds>(
          "database.statement_timeout", "for one statement",
          [](auto& s) -> auto& { return s.office.database.statement_timeout; }),
      duration<milliseconds>(
          "database.silence_timeout", "for one transaction; then its connection is cut",
          [](auto& s) -> auto& { return s.office.database.silence_timeout; }),
  };
}

rows node_rows() {
  return {
      duration<milliseconds>(
          "node.lease", "how long a claim holds", [](auto& s) -> auto& { return s.office.lease; }),
      duration<milliseconds>(
          "node.lease_margin", "our trust in a lease ends this much earlier",
          [](auto& s) -> auto& { return s.office.lease_margin; }),
      duration<milliseconds>(
          "node.poll", "longest wait for work nobody told us of",
          [](auto& s) -> auto& { return s.office.poll; }),
      duration<milliseconds>(
          "node.heartbeat", "between two signs of life in the table of nodes",
          [](auto& s) -> auto& { return s.office.heartbeat; }),
      whole<std::size_t>(
          "node.window_max", "deliveries of one tenant and channel in flight", 1, 100'000,
          [](auto& s) -> auto& { return s.office.window_max; }),
      whole<std::size_t>(
          "node.accepts_max", "notifications waiting for their commit; beyond: 503", 1, 1'000'000,
          [](auto& s) -> auto& { return s.office.accepts_max; }),
      whole<std::size_t>(
          "node.accept_batch_max", "notifications in one transaction", 1, 10'000,
          [](auto& s) -> auto& { return s.office.accept_batch_max; }),
      duration<milliseconds>(
          "node.accept_patience", "longest wait of one notification for its commit",
          [](auto& s) -> auto& { return s.office.accept_patience; }),
      whole<std::size_t>(
          "node.accept_keepers", "connections that only accept", 1, 64,
          [](auto& s) -> auto& { return s.office.accept_keepers; }),
      whole<std::size_t>(
          "node.work_keepers", "connections that claim, permit, settle", 1, 64,
          [](auto& s) -> auto& { return s.office.work_keepers; }),
      whole<std::size_t>(
          "node.scheduler_threads", "threads of the actors", 1, 256,
          [](auto& s) -> auto& { return s.office.scheduler_threads; }),
      whole<int>(
          "node.restarts_max", "crashes of one actor within the restart window", 1, 1'000,
          [](auto& s) -> auto& { return s.office.restarts_max; }),
      duration<seconds>(
          "node.restart_window", "in which crashes are counted",
          [](auto& s) -> auto& { return s.office.restart_window; }),
      whole<int>(
          "node.lost_leases_max", "workers lost before an attempt, then permanent_failure", 1,
          1'000, [](auto& s) -> auto& { return s.office.lost_leases_max; }),
  };
}

rows policy_rows() {
  return {
      duration<milliseconds>(
          "retry.base", "first wait between attempts",
          [](auto& s) -> auto& { return s.office.retry.base; }),
      duration<milliseconds>(
          "retry.cap", "longest wait between attempts",
          [](auto& s) -> auto& { return s.office.retry.cap; }),
      whole<int>(
          "retry.attempts_max", "attempts, then permanent_failure", 1, 10'000,
          [](auto& s) -> auto& { return s.office.retry.attempts_max; }),
      choice<doubt_rule>(
          "doubt.rule", "what follows when the provider's answer was lost",
          {{"resend", doubt_rule::resend}, {"wait", doubt_rule::wait}, {"hold", doubt_rule::hold}},
          [](auto& s) -> auto& { return s.office.doubt.rule; }),
      duration<milliseconds>(
          "doubt.resend_after", "rule resend: wait before a resend",
          [](auto& s) -> auto& { return s.office.doubt.after; }),
      duration<milliseconds>(
          "doubt.wait_for", "rule wait: for evidence, then permanent_failure",
          [](auto& s) -> auto& { return s.office.doubt.after; }),
      whole<int>(
          "doubt.resends_max", "rule resend: resends of one delivery, then held for a person", 1,
          10, [](auto& s) -> auto& { return s.office.doubt.resends_max; }),
      whole<int>(
          "retention_days", "an event that is over is kept so long; 0: for ever", 0, 36'500,
          [](auto& s) -> auto& { return s.office.retention_days; }),
  };
}

rows mail_rows() {
  return {
      choice<mail_transport>(
          "mail.transport", "where mails go",
          {{"smtp", mail_transport::smtp}, {"file", mail_transport::file}},
          [](auto& s) -> auto& { return s.mail.transport; }),
      text(
          "mail.directory", "of the transport file: one .eml each",
          [](auto& s) -> auto& { return s.mail.directory; }),
      text(
          "mail.sender_address", "sender of tenants that have none of their own",
          [](auto& s) -> auto& { return s.mail.smtp.sender_address; }),
      text(
          "mail.sender_name", "its display name",
          [](auto& s) -> auto& { return s.mail.smtp.sender_name; }),
      text(
          "mail.message_id_domain", "right side of Message-IDs; the sender's unless given",
          [](auto& s) -> auto& { return s.mail.smtp.message_id_domain; }),
      text(
          "smtp.host", "server that takes the mails",
          [](auto& s) -> auto& { return s.mail.smtp.host; }),
      whole<std::uint16_t>(
          "smtp.port", "its port", 1, 65'535, [](auto& s) -> auto& { return s.mail.smtp.port; }),
      choice<channels::tls_mode>(
          "smtp.tls", "encryption; opportunistic on loopback unless given",
          {{"off", channels::tls_mode::off},
           {"opportunistic", channels::tls_mode::opportunistic},
           {"required", channels::tls_mode::required},
           {"implicit", channels::tls_mode::implicit}},
          [](auto& s) -> auto& { return s.mail.smtp.tls; }),
      text(
          "smtp.user", "account at the server", [](auto& s) -> auto& { return s.mail.smtp.user; }),
      secret(
          "smtp.password", "its password", [](auto& s) -> auto& { return s.mail.smtp.password; }),
      text(
          "smtp.password_file", "file whose first line is the password",
          [](auto& s) -> auto& { return s.mail.password_file; }),
      text(
          "smtp.ca_file", "certificates to trust instead of the system's",
          [](auto& s) -> auto& { return s.mail.smtp.ca_file; }),
      whole<std::size_t>(
          "smtp.connections_max", "connections to the server", 1, 1'000,
          [](auto& s) -> auto& { return s.mail.smtp.connections_max; }),
      duration<milliseconds>(
          "smtp.connect_timeout", "for one connection to stand",
          [](auto& s) -> auto& { return s.mail.smtp.connect_timeout; }),
      duration<milliseconds>(
          "smtp.command_timeout", "for each reply before the content",
          [](auto& s) -> auto& { return s.mail.smtp.command_timeout; }),
      duration<milliseconds>(
          "smtp.answer_timeout", "for the reply after the content; then in doubt",
          [](auto& s) -> auto& { return s.mail.smtp.answer_timeout; }),
      text(
          "smtp.helo_name", "our name in EHLO; the sender's domain unless given",
          [](auto& s) -> auto& { return s.mail.smtp.helo_name; }),
  };
}

rows house_rows() {
  return {
      text(
          "secrets.key_file", "file of the keys that seal secrets of tenants' accounts",
          [](auto& s) -> auto& { return s.seal_key_file; }),
      text(
          "fcm.service_account_file", "the house's account at FCM: Firebase's JSON file",
          [](auto& s) -> auto& { return s.push.fcm_service_account_file; }),
      text(
          "fcm.url", "where FCM is, if not at Google",
          [](auto& s) -> auto& { return s.push.fcm_url; }),
      text(
          "apns.key_file", "the house's account at APNs: Apple's .p8 file",
          [](auto& s) -> auto& { return s.push.apns_key_file; }),
      text(
          "apns.key_id", "name of that key, ten characters",
          [](auto& s) -> auto& { return s.push.apns_key_id; }),
      text(
          "apns.team_id", "whose it is, ten characters",
          [](auto& s) -> auto& { return s.push.apns_team_id; }),
      choice<std::string>(
          "apns.environment", "which of Apple's two; production unless given",
          {{"production", "production"}, {"development", "development"}},
          [](auto& s) -> auto& { return s.push.apns_environment; }),
      text(
          "apns.topic", "of devices that name no app",
          [](auto& s) -> auto& { return s.push.apns_topic; }),
      text(
          "apns.url", "where APNs is, if not at Apple",
          [](auto& s) -> auto& { return s.push.apns_url; }),
      text(
          "web_push.private_key_file", "the house's VAPID key, as `arauto vapid` makes it",
          [](auto& s) -> auto& { return s.push.web_push_private_key_file; }),
      text(
          "web_push.subject", "whom push services may ask: mailto: or https:",
          [](auto& s) -> auto& { return s.push.web_push_subject; }),
  };
}

rows push_rows() {
  return {
      text(
          "push.directory", "development: one file each instead of providers without an account",
          [](auto& s) -> auto& { return s.push.directory; }),
      whole<std::size_t>(
          "push.sends_max", "open requests of one account", 1, 10'000,
          [](auto& s) -> auto& { return s.push.sends_max; }),
      duration<milliseconds>(
          "push.connect_timeout", "for one connection to stand",
          [](auto& s) -> auto& { return s.push.connect_timeout; }),
      duration<milliseconds>(
          "push.answer_timeout", "for the answer to one push; then in doubt",
          [](auto& s) -> auto& { return s.push.answer_timeout; }),
      text(
          "push.ca_file", "certificates to trust instead of the system's",
          [](auto& s) -> auto& { return s.push.ca_file; }),
      choice<bool>(
          "push.private_endpoints", "test benches only: browsers may lead us to private addresses",
          {{"true", true}, {"false", false}},
          [](auto& s) -> auto& { return s.http.private_endpoints; }),
  };
}

rows client_rows() {
  return {
      text(
          "client.url", "service that send and status ask",
          [](auto& s) -> auto& { return s.client_url; }),
      secret(
          "client.key", "API key they ask with", [](auto& s) -> auto& { return s.client_key; }),
      text(
          "client.key_file", "file whose first line is that key",
          [](auto& s) -> auto& { return s.client_key_file; }),
  };
}

} // namespace

const std::vector<setting>& all_settings() {
  static const auto all = [] {
    rows made;
    for (auto& group : {service_rows(), tls_rows(), database_rows(), node_rows(), policy_rows(),
                        mail_rows(), house_rows(), push_rows(), client_rows()})
      made.insert(made.end(), group.begin(), group.end());
    return made;
  }();
  return all;
}

} // namespace arauto::deployment
