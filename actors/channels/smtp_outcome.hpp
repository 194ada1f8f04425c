// What a reply, or the lack of one, means for the message. Pure: the whole table from SMTP's words
// to ours is here and nowhere else.
#pragma once

#include <cstdint>

#include "actors/channels/smtp_reply.hpp"
#include "storage/model/outcome.hpp"

namespace arauto::channels {

// Where the conversation stood: what was asked last and not yet answered.
enum class smtp_stage : std::uint8_t {
  connecting,
  greeting,
  hello,
  starttls,
  auth,
  mail,
  rcpt,
  data,
  content, // 354 came; the final dot is not written
  answer,  // the final dot is written
};

// Ends that are no reply.
enum class smtp_trouble : std::uint8_t {
  host_not_found,
  connect_failed,
  lost, // closed, reset, unreachable
  timed_out,
  trust_ended, // the lease can no longer be trusted
  stopping,    // our own orderly end
  nonsense,    // a reply that is none, or that nobody asked for
  tls_not_offered,
  tls_unverified,
  tls_failed,
  tls_tampered, // words in clear text after the agreement to begin TLS
  auth_not_offered,
  auth_needs_tls,
  smtputf8_not_offered,
  too_large,
};

// For the reply that ended the conversation about a message: any refusal, or the answer to the
// final dot.
outcome outcome_of(smtp_stage stage, const smtp_reply& reply);
outcome outcome_of(smtp_stage stage, smtp_trouble trouble);

} // namespace arauto::channels
