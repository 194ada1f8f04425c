#include "actors/channels/smtp_outcome.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "storage/model/text.hpp"

namespace arauto::channels {

namespace {

constexpr std::size_t detail_bytes_max = 500;
constexpr std::size_t reference_bytes_max = 200;

using verdict_and_cause = std::pair<verdict, const char*>;

bool enhanced_begins(const smtp_reply& reply, std::string_view start) {
  return std::string_view{reply.enhanced}.substr(0, start.size()) == start;
}

// RFC 3463: no such user, no such system, bad syntax, moved without a forward, null MX, disabled.
bool blames_the_address(const smtp_reply& reply) {
  constexpr std::string_view codes[] = {"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"};
  const auto is_listed =
      std::find(std::begin(codes), std::end(codes), reply.enhanced) != std::end(codes);
  return is_listed && (reply.code == 550 || reply.code == 551 || reply.code == 553);
}

// RFC 4954 6: authentication required, refused, or refused without encryption.
bool blames_the_account(const smtp_reply& reply) {
  return reply.code == 530 || reply.code == 535 || reply.code == 538;
}

const char* cause_for_now(const smtp_reply& reply) {
  if (reply.code == 421) return "provider_closing";
  if (enhanced_begins(reply, "4.7.") || (reply.code == 450 && reply.is("4.2.0")))
    return "greylisted";
  if (reply.is("4.2.2")) return "mailbox_full";
  return reply.code == 452 ? "provider_full" : "provider_busy";
}

const char* cause_for_good(smtp_stage stage, const smtp_reply& reply) {
  if (reply.is("5.2.2")) return "mailbox_full";
  if (reply.is("5.3.4") || reply.is("5.2.3")) return "too_large";
  if (reply.code == 552) return stage == smtp_stage::rcpt ? "mailbox_full" : "too_large";
  if (enhanced_begins(reply, "5.7.")) return "policy_refused";
  if (stage == smtp_stage::mail) return "sender_refused";
  return stage == smtp_stage::rcpt ? "recipient_refused" : "content_refused";
}

verdict_and_cause before_the_message(smtp_stage stage, const smtp_reply& reply) {
  if (reply.kind() == 4) {
    if (stage == smtp_stage::auth) return {verdict::not_begun, "auth_not_ready"};
    if (stage == smtp_stage::starttls) return {verdict::not_begun, "tls_not_ready"};
    return {verdict::not_begun, "provider_not_ready"};
  }
  if (reply.kind() != 5) return {verdict::not_begun, "odd_reply"};
  if (stage == smtp_stage::auth) return {verdict::account_refused, "auth_refused"};
  if (stage == smtp_stage::starttls) return {verdict::account_refused, "tls_not_offered"};
  return {verdict::account_refused, "greeting_refused"};
}

verdict_and_cause within_the_message(smtp_stage stage, const smtp_reply& reply) {
  const auto dot_is_written = stage == smtp_stage::answer;
  if (reply.kind() == 2 && dot_is_written) return {verdict::accepted, ""};
  if (reply.kind() == 4) return {verdict::refused_for_now, cause_for_now(reply)};
  if (reply.kind() != 5 && dot_is_written) return {verdict::unknown, "odd_reply"};
  if (reply.kind() != 5) return {verdict::refused_for_now, "odd_reply"};
  if (blames_the_account(reply)) return {verdict::account_refused, "auth_refused"};
  if (stage == smtp_stage::rcpt && blames_the_address(reply))
    return {verdict::bad_address, "recipient_unknown"};
  return {verdict::refused, cause_for_good(stage, reply)};
}

std::string reference_in(const smtp_reply& reply) {
  auto text = std::string_view{reply.text};
  text = text.substr(0, text.find('\n'));
  if (!reply.enhanced.empty() && text.substr(0, reply.enhanced.size()) == reply.enhanced)
    text.remove_prefix(std::min(text.size(), reply.enhanced.size() + 1));
  return mended_utf8(text, reference_bytes_max);
}

// Troubles that say the same wherever the conversation stood: the account's or the message's own.
verdict_and_cause wherever_it_stood(smtp_trouble trouble) {
  switch (trouble) {
  case smtp_trouble::tls_not_offered: return {verdict::account_refused, "tls_not_offered"};
  case smtp_trouble::tls_unverified: return {verdict::account_refused, "tls_unverified"};
  case smtp_trouble::tls_failed: return {verdict::account_refused, "tls_failed"};
  case smtp_trouble::tls_tampered: return {verdict::account_refused, "tls_tampered"};
  case smtp_trouble::auth_not_offered: return {verdict::account_refused, "auth_not_offered"};
  case smtp_trouble::auth_needs_tls: return {verdict::account_refused, "auth_needs_tls"};
  case smtp_trouble::smtputf8_not_offered: return {verdict::refused, "smtputf8_not_offered"};
  case smtp_trouble::too_large: return {verdict::refused, "too_large"};
  default: return {verdict::unknown, ""};
  }
}

const char* cause_before_mail(smtp_trouble trouble) {
  switch (trouble) {
  case smtp_trouble::host_not_found: return "host_not_found";
  case smtp_trouble::connect_failed: return "connect_failed";
  case smtp_trouble::timed_out: return "timed_out";
  case smtp_trouble::trust_ended: return "trust_ended";
  case smtp_trouble::stopping: return "stopping";
  case smtp_trouble::nonsense: return "odd_reply";
  default: return "connection_lost";
  }
}

} // namespace

outcome outcome_of(smtp_stage stage, const smtp_reply& reply) {
  const auto [said, cause] = stage < smtp_stage::mail ? before_the_message(stage, reply)
                                                      : within_the_message(stage, reply);
  outcome made;
  made.said = said;
  made.code = reply.code;
  made.cause = cause;
  made.detail = mended_utf8(reply.text, detail_bytes_max);
  if (said == verdict::accepted) made.provider_ref = reference_in(reply);
  return made;
}

outcome outcome_of(smtp_stage stage, smtp_trouble trouble) {
  outcome made;
  const auto [said, cause] = wherever_it_stood(trouble);
  if (said != verdict::unknown) {
    made.said = said;
    made.cause = cause;
  } else if (stage <= smtp_stage::mail) {
    made.said = verdict::not_begun;
    made.cause = cause_before_mail(trouble);
  } else if (stage <= smtp_stage::content) {
    made.said = verdict::refused_for_now;
    made.cause = "lost_before_content_end";
  } else {
    made.said = verdict::unknown;
    made.cause = "lost_answer";
  }
  return made;
}

} // namespace arauto::channels
