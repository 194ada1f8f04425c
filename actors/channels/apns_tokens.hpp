// The token by which APNs knows us. All nodes of a fleet make the same one at the same time: its
// time of issue is rounded down to 40 minutes, so it is never renewed more often than every 20 nor
// older than 60 minutes. When to renew is told by the steady clock: a clock that jumps changes
// nothing until then (S32). Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "actors/channels/account_forms.hpp"

namespace arauto::channels {

class apns_tokens {
public:
  using steady = std::chrono::steady_clock;

  apns_tokens(const apns_account& account,
              std::function<std::chrono::system_clock::time_point()> now,
              std::function<steady::time_point()> steady_now = steady::now);

  std::string current(); // empty: the key does not sign

  // What APNs said of a token that was current when it was sent.
  void expired(const std::string& token);             // make one that is as young as can be
  void refused(const std::string& token);             // another, if the clock says another time now
  void one_update_too_many(const std::string& token); // the one before, while it may be used

private:
  struct issued {
    std::string text;
    std::int64_t at_s = 0; // iat
    steady::time_point renew_at{};
    steady::time_point ends_at{}; // an hour old
  };

  issued issue(std::int64_t at_s) const;
  std::int64_t now_s() const;

  const std::string key_id_, team_id_;
  const p256_key key_;
  const std::function<std::chrono::system_clock::time_point()> now_;
  const std::function<steady::time_point()> steady_now_;

  std::mutex mutex_;
  issued current_, before_;
};

} // namespace arauto::channels
