// The one door to a provider. A courier owns a port; a port owns its sockets and its I/O thread.
// Nothing here knows leases, retries or the database.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "storage/model/errc.hpp"
#include "storage/model/message.hpp"
#include "storage/model/outcome.hpp"

namespace arauto::channels {

// A message in the provider's form, complete except for the conversation.
struct composed {
  delivery_key key;
  std::string from; // envelope sender
  std::string to;   // envelope recipient: A-label domain; non-ASCII local part only if needs_utf8
  bool needs_utf8 = false;
  std::string bytes; // e-mail: the whole RFC 5322 message, CRLF only, not dot-stuffed; push: the
                     // body of the request
  std::string device_id{}; // push: which target; tells sends of one delivery apart
  // push: `to` is the token (APNs), the endpoint (Web Push) or empty (FCM: it stands in the body).
  std::vector<std::pair<std::string, std::string>> headers{}; // push: of this message, ASCII
  std::int64_t registered_at_ms = 0; // push: of the token, for answers that name a time (APNs 410)
};

class port {
public:
  using steady = std::chrono::steady_clock;
  virtual ~port() = default;

  // Builds the provider's form. Pure: no I/O; called from any thread. A failure (bad_input) is
  // about this message and is permanent; its text is a stable word (address_unusable,
  // header_unsafe...).
  virtual result<composed> compose(const message& what) const = 0;

  // Sends. Calls `answer` exactly once, from any thread, possibly before returning; never throws.
  // `trusted_until` is the end of our trust in the lease: no byte of content may leave after it and
  // the final dot may not be written after it (the verdict is then not_begun or refused_for_now).
  // Sends past sends_max() queue in the port: a courier asks for a few more with a quick provider,
  // so that no connection waits for a permit. How long to wait for the final answer is the port's
  // own setting.
  virtual void send(composed what, steady::time_point trusted_until,
                    std::function<void(outcome)> answer) = 0;

  virtual std::size_t sends_max() const = 0;

  // Ends open conversations in order (what is past its final dot may still be answered until
  // `deadline`), then closes.
  virtual void stop(steady::time_point deadline) = 0;
};

} // namespace arauto::channels
