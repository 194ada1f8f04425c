// Remembers which keys opened a door and tells the database now and then, on a thread of its own:
// no request waits for it, and none fails by it. What was noted is lost when the process dies.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "http/settings.hpp"

namespace arauto::storage {
class pool;
}

namespace arauto::http {

class key_uses {
public:
  key_uses(storage::pool& sessions, const http_settings& settings);
  ~key_uses();
  key_uses(const key_uses&) = delete;
  key_uses& operator=(const key_uses&) = delete;

  void note(const std::string& prefix); // at most once a minute for each goes further than here

private:
  using clock = std::chrono::steady_clock;

  void tell();

  storage::pool& sessions_;
  const http_settings& settings_;
  std::mutex mutex_;
  std::condition_variable ending_soon_;
  std::unordered_map<std::string, clock::time_point> noted_;
  std::unordered_set<std::string> untold_;
  bool ending_ = false;
  std::thread thread_;
};

} // namespace arauto::http
