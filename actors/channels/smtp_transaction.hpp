// One message in an SMTP conversation: MAIL, RCPT, DATA, the content's final dot. Pure: replies in,
// what to do next out. Where PIPELINING is offered the three commands leave in one write, and all
// three replies are read before anything is decided (RFC 2920).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "actors/channels/port.hpp"
#include "actors/channels/smtp_opening.hpp"
#include "actors/channels/smtp_outcome.hpp"

namespace arauto::channels {

// Dot-stuffed (RFC 5321 4.5.2) and with the final dot.
std::string content_with_dot(std::string bytes);

class smtp_transaction {
public:
  enum class act {
    wait, // for the next reply
    say,
    send_content,
    end_kept,  // over; the connection may carry the next message
    end_reset, // over after RSET
    end_empty, // over after an empty content, because DATA was answered 354 without a recipient,
               // and RSET
    end_cut,   // over; the connection is of no use any more
  };

  struct step {
    act what;
    std::string line; // say
    outcome said;     // end_*
  };

  // `bytes` is the size of the message before dot-stuffing.
  smtp_transaction(const composed& what, std::size_t bytes, const smtp_offer& offer);

  // Why this server can never take the message; asked before a word of it is said.
  std::optional<smtp_trouble> objection() const { return objection_; }

  std::string first_words() const;
  step take(const smtp_reply& reply);
  void dot_is_written() { stage_ = smtp_stage::answer; }

  // The verdict when the conversation ends without another reply.
  outcome ended_by(smtp_trouble trouble) const;

  // True while nothing but the connection's own age can have been the trouble: a fresh one may do
  // better.
  bool is_untouched() const;

  smtp_stage stage() const { return stage_; }

private:
  step take_mail(const smtp_reply& reply);
  step take_rcpt(const smtp_reply& reply);
  step take_data(const smtp_reply& reply);
  step take_answer(const smtp_reply& reply);
  step end(act how, outcome said) const;
  void object(const smtp_reply& reply);

  bool pipelined_;
  std::string mail_;
  std::string rcpt_;
  std::optional<smtp_trouble> objection_;
  smtp_stage stage_ = smtp_stage::mail;
  bool recipient_taken_ = false;
  std::optional<outcome> problem_; // the first refusal; decides once all replies are in
};

} // namespace arauto::channels
