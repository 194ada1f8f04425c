// The access token of one service account (OAuth 2.0, RFC 7523): fetched once for all who wait,
// kept in memory only, renewed before it ends. Age is told by the steady clock, so that a clock
// that jumps ends no token (S32). Thread-safe; calls nobody while it holds its lock.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "actors/channels/account_forms.hpp"
#include "actors/channels/http_client.hpp"
#include "storage/model/outcome.hpp"

namespace arauto::channels {

class access_tokens {
public:
  using steady = std::chrono::steady_clock;

  struct means {
    std::function<void(http_request, std::function<void(http_answer)>)> fetch;
    std::function<std::chrono::system_clock::time_point()> now;
    std::function<steady::time_point()> steady_now = steady::now;
    std::size_t waiting_max = 10'000;
  };

  // A token, or why there is none: not_begun token_unavailable, account_refused credential_refused.
  struct given {
    std::string token; // empty: none
    outcome trouble;
  };

  access_tokens(fcm_account account, means by);

  // Calls `then` exactly once, here or when the token question is answered.
  void ask(std::function<void(const given&)> then);

  // The provider does not know this one; the next to ask gets another.
  void forget(const std::string& token);

private:
  void fetch();
  void heard(const http_answer& said, steady::time_point asked_at);

  const fcm_account account_;
  const means by_;

  std::mutex mutex_;
  std::string token_;
  steady::time_point ends_{}; // not used from here on
  steady::time_point renew_from_{};
  steady::time_point not_before_{}; // the token question is not asked again
  outcome trouble_;
  bool fetching_ = false;
  std::vector<std::function<void(const given&)>> waiting_;
};

} // namespace arauto::channels
