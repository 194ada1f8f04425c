#include "actors/channels/smtp_transaction.hpp"

#include <utility>

namespace arauto::channels {

namespace {

constexpr int closing = 421; // whatever was asked, the server is going away

std::optional<smtp_trouble> objection_to(const composed& what, std::size_t bytes,
                                         const smtp_offer& offer) {
  if (what.needs_utf8 && !offer.smtputf8) return smtp_trouble::smtputf8_not_offered;
  if (offer.size_max > 0 && bytes > offer.size_max) return smtp_trouble::too_large;
  return std::nullopt;
}

} // namespace

std::string content_with_dot(std::string bytes) {
  const auto ended = bytes.size() >= 2 && bytes.compare(bytes.size() - 2, 2, "\r\n") == 0;
  bytes.append(ended ? ".\r\n" : "\r\n.\r\n");
  const auto last = bytes.size() - 3; // the final dot stays single
  auto dot = bytes.front() == '.' && last > 0 ? 0 : bytes.find("\n.") + 1;
  if (dot == last) return bytes;

  std::string stuffed;
  stuffed.reserve(bytes.size() + bytes.size() / 16);
  std::size_t copied = 0;
  for (; dot < last; dot = bytes.find("\n.", dot) + 1) {
    stuffed.append(bytes, copied, dot - copied).append(1, '.');
    copied = dot;
  }
  return stuffed.append(bytes, copied);
}

smtp_transaction::smtp_transaction(const composed& what, std::size_t bytes, const smtp_offer& offer)
    : pipelined_{offer.pipelining},
      mail_{"MAIL FROM:<" + what.from + ">"},
      rcpt_{"RCPT TO:<" + what.to + ">\r\n"},
      objection_{objection_to(what, bytes, offer)} {
  if (offer.size) mail_ += " SIZE=" + std::to_string(bytes);
  if (what.needs_utf8) mail_ += " SMTPUTF8";
  mail_ += "\r\n";
}

std::string smtp_transaction::first_words() const {
  return pipelined_ ? mail_ + rcpt_ + "DATA\r\n" : mail_;
}

smtp_transaction::step smtp_transaction::take(const smtp_reply& reply) {
  switch (stage_) {
  case smtp_stage::mail: return take_mail(reply);
  case smtp_stage::rcpt: return take_rcpt(reply);
  case smtp_stage::data: return take_data(reply);
  default: return take_answer(reply);
  }
}

smtp_transaction::step smtp_transaction::take_mail(const smtp_reply& reply) {
  if (reply.kind() != 2) object(reply);
  if (reply.code == closing) return end(act::end_cut, *problem_);
  if (!pipelined_ && problem_) return end(act::end_reset, *problem_);
  stage_ = smtp_stage::rcpt;
  return pipelined_ ? step{act::wait, {}, {}} : step{act::say, rcpt_, {}};
}

smtp_transaction::step smtp_transaction::take_rcpt(const smtp_reply& reply) {
  recipient_taken_ = reply.kind() == 2; // 251 and 252 as well
  if (!recipient_taken_) object(reply);
  if (reply.code == closing) return end(act::end_cut, *problem_);
  if (!pipelined_ && problem_) return end(act::end_reset, *problem_);
  stage_ = smtp_stage::data;
  return pipelined_ ? step{act::wait, {}, {}} : step{act::say, "DATA\r\n", {}};
}

smtp_transaction::step smtp_transaction::take_data(const smtp_reply& reply) {
  if (reply.kind() == 3) {
    if (!problem_) {
      stage_ = smtp_stage::content;
      return {act::send_content, {}, {}};
    }
    // With a recipient on the server's list even an empty content would be delivered.
    return end(recipient_taken_ ? act::end_cut : act::end_empty, *problem_);
  }
  object(reply);
  const auto over = reply.kind() == 2 || reply.code == closing;
  return end(over ? act::end_cut : act::end_reset, *problem_);
}

// Also reached by words in the middle of the content: then only a refusal means anything.
smtp_transaction::step smtp_transaction::take_answer(const smtp_reply& reply) {
  if (stage_ == smtp_stage::content) return end(act::end_cut, outcome_of(stage_, reply));
  const auto over = reply.kind() == 3 || reply.code == closing;
  return end(over ? act::end_cut : act::end_kept, outcome_of(stage_, reply));
}

outcome smtp_transaction::ended_by(smtp_trouble trouble) const {
  return problem_ ? *problem_ : outcome_of(stage_, trouble);
}

bool smtp_transaction::is_untouched() const {
  return stage_ < smtp_stage::content && (!problem_ || problem_->code == closing);
}

smtp_transaction::step smtp_transaction::end(act how, outcome said) const {
  const auto account = said.said == verdict::account_refused;
  return {account ? act::end_cut : how, {}, std::move(said)};
}

void smtp_transaction::object(const smtp_reply& reply) {
  if (!problem_) problem_ = outcome_of(stage_, reply);
}

} // namespace arauto::channels
