// HTTP requests over libcurl's multi interface on one I/O thread: HTTP/2 over TLS where the server
// speaks it, else HTTP/1.1, connections kept and shared. It sends no request twice by itself unless
// told that it may: what somebody may have read and did not answer is `unknown` (providers.md 0.2
// and 3).
// Knows nothing of pushes; the ports (fcm, apns, web_push) are written on it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace arauto::channels {

struct http_request {
  using steady = std::chrono::steady_clock;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body; // always a POST
  // No byte of the body leaves after it; past it the end is not_begun / trust_ended.
  steady::time_point trusted_until = steady::time_point::max();
  bool may_repeat = false; // harmless when read twice (a token question): libcurl may resend it
};

struct http_answer {
  enum class end {
    answered,  // a whole answer: `status` counts
    not_begun, // no whole request left us, or it was refused unread; `cause` says why
    unknown,   // it may have been read, and there is no whole answer
  };
  end came_to = end::unknown;
  int status = 0;
  std::string cause; // connect_failed, connection_lost, host_not_found, tls_failed,
                     // tls_unverified, timed_out, trust_ended, stopping, endpoint_refused,
                     // refused_stream; lost_answer, answer_too_large
  std::string body;  // at most answer_bytes_max
  std::vector<std::pair<std::string, std::string>> headers; // names in lower case
  std::chrono::milliseconds retry_after{0}; // of either legal shape; 0: none, or in the past

  std::string header(const std::string& name) const; // the first; empty: none
};

struct http_client_settings {
  std::string ca_file;         // certificates to trust instead of the system's
  std::size_t sends_max = 100; // requests in the air, so connections too; more wait here
  std::chrono::milliseconds connect_timeout{5'000}; // TLS included
  std::chrono::milliseconds answer_timeout{20'000}; // of the whole request
  std::chrono::seconds idle_max{60}; // a connection that was idle longer is not used again
  std::size_t answer_bytes_max = 65'536;
  bool public_addresses_only = false; // judged on the address that is really dialled (S35)
};

class http_client {
public:
  explicit http_client(const http_client_settings& settings);
  ~http_client(); // as stop(now)
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;

  // Any thread. `answered` is called exactly once, on the I/O thread (or here, while stopping);
  // it must not block.
  void send(http_request what, std::function<void(http_answer)> answered);

  // Takes nothing more, waits for what is in the air until `deadline`, then ends.
  void stop(http_request::steady::time_point deadline);

private:
  class inside;
  std::unique_ptr<inside> inside_;
};

} // namespace arauto::channels
