#include "http/key_uses.hpp"

#include <vector>

#include "storage/keys.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {
constexpr std::chrono::minutes once_in{1};
}

key_uses::key_uses(storage::pool& sessions, const http_settings& settings)
    : sessions_{sessions}, settings_{settings}, thread_{[this] { tell(); }} {}

key_uses::~key_uses() {
  {
    const std::lock_guard guard{mutex_};
    ending_ = true;
  }
  ending_soon_.notify_all();
  thread_.join();
}

void key_uses::note(const std::string& prefix) {
  const auto now = clock::now();
  const std::lock_guard guard{mutex_};
  const auto [at, is_new] = noted_.emplace(prefix, now);
  if (!is_new && now - at->second < once_in) return;
  at->second = now;
  untold_.insert(prefix);
}

void key_uses::tell() {
  std::unique_lock lock{mutex_};
  while (!ending_soon_.wait_for(lock, settings_.key_uses_apart, [this] { return ending_; })) {
    const auto now = clock::now();
    for (auto at = noted_.begin(); at != noted_.end();)
      at = now - at->second >= once_in ? noted_.erase(at) : std::next(at);
    if (untold_.empty()) continue;
    const std::vector<std::string> used{untold_.begin(), untold_.end()};
    untold_.clear();
    lock.unlock();
    const auto told =
        sessions_.with([&](storage::session& db) { return storage::keys_used(db, used); },
                       settings_.database_patience);
    lock.lock();
    if (!told) untold_.insert(used.begin(), used.end());
  }
}

} // namespace arauto::http
