// What an attempt to talk to a provider came to. A closed set: anything a channel cannot name is
// `unknown`, which is doubt, never success (providers.md has the table from each provider's words
// to these).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace arauto {

enum class verdict : std::uint8_t {
  accepted,        // the provider took responsibility
  refused_for_now, // 4xx, greylisting, lost before the content was complete: try later
  refused,         // refused for good: policy, content, size
  bad_address,     // refused for good, and the address itself is why: suppress it
  not_begun, // nothing of this message reached the provider: the attempt is given back, a deferral
             // counted
  account_refused, // the provider refuses us (credentials, TLS): as not_begun, and the account is
                   // paused
  unknown,         // the provider may have taken it, and nobody knows
};

constexpr std::string_view spelled(verdict v) {
  switch (v) {
  case verdict::accepted: return "accepted";
  case verdict::refused_for_now: return "refused_for_now";
  case verdict::refused: return "refused";
  case verdict::bad_address: return "bad_address";
  case verdict::not_begun: return "not_begun";
  case verdict::account_refused: return "account_refused";
  case verdict::unknown: return "unknown";
  }
  return "";
}

struct outcome {
  verdict said = verdict::unknown;
  int code = 0;      // the provider's number: SMTP reply code, HTTP status; 0 when there was none
  std::string cause; // stable word for people and metrics: greylisted, mailbox_full,
                     // connect_failed, lost_answer...
  std::string
      detail; // the provider's words: valid UTF-8, at most 500 bytes; message data, never logged
  std::string provider_ref;                 // the provider's name for the accepted message
  std::chrono::milliseconds retry_after{0}; // the provider's own wish; 0 when it had none
  bool slows_account = false;               // that wish is meant for everything of this account
  bool only_this_target = false; // says nothing of the account: an endpoint of its own (Web Push)
  std::int64_t ended_at_ms = 0;  // bad_address: since when the provider knows (Unix, ms); 0: unsaid
};

} // namespace arauto
