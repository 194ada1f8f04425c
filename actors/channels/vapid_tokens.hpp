// Who we are towards push services (RFC 8292): a token for each origin, good for twelve hours and
// used for six, so that a clock that is off by hours harms nobody. Bounded; thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "actors/channels/account_forms.hpp"

namespace arauto::channels {

class vapid_tokens {
public:
  using steady = std::chrono::steady_clock;

  vapid_tokens(web_push_account account, std::function<std::chrono::system_clock::time_point()> now,
               std::function<steady::time_point()> steady_now = steady::now,
               std::size_t origins_max = 1'024);

  // The value of the header Authorization; empty: the key does not sign.
  std::string for_origin(const std::string& origin);
  std::size_t kept() const;

private:
  struct issued {
    std::string header;
    steady::time_point renew_at;
  };

  const web_push_account account_;
  const std::string public_key_;
  const std::function<std::chrono::system_clock::time_point()> now_;
  const std::function<steady::time_point()> steady_now_;
  const std::size_t origins_max_;

  mutable std::mutex mutex_;
  std::map<std::string, issued> kept_;
};

} // namespace arauto::channels
