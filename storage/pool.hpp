// A bounded set of sessions for threads that ask and wait (HTTP handlers, commands). Keepers own
// theirs and do not borrow, so that accepts never starve because readers hold the pool.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "storage/session.hpp"

namespace arauto::storage {

class pool {
public:
  pool(const database_settings& settings, std::size_t sessions_max);

  // Waits at most `patience` for a free session, then runs `use(session&)`, which returns some
  // result<T>.
  template <class Use>
  auto with(Use&& use, std::chrono::milliseconds patience = std::chrono::milliseconds{2'000})
      -> decltype(use(std::declval<session&>())) {
    auto held = borrow(patience);
    if (!held) return failure{errc::unavailable, "no free session"};
    struct giver {
      pool& from;
      std::unique_ptr<session>& what;
      ~giver() { from.give_back(std::move(what)); }
    } back{*this, held};
    return use(*held);
  }

private:
  std::unique_ptr<session> borrow(std::chrono::milliseconds patience);
  void give_back(std::unique_ptr<session> what);

  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<session>> idle_;
};

} // namespace arauto::storage
