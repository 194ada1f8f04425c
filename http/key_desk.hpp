// Asks the database about prefixes that nobody here remembers, for everybody who waits at once: one
// question at a time, no two closer than `key_questions_apart`. So a flood of guesses costs a fixed
// number of questions of a fixed size, whatever its own size. A third of the threads is never in
// this line; a stranger for whom it has no room is told to come back. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http/settings.hpp"
#include "storage/keys.hpp"

namespace arauto::storage {
class pool;
}

namespace arauto::http {

class key_desk {
public:
  using clock = std::chrono::steady_clock;

  struct answer {
    std::optional<storage::api_key> key; // nothing: there is no such live key
    clock::time_point asked_at;          // before the question
  };

  key_desk(storage::pool& sessions, const http_settings& settings)
      : sessions_{sessions}, settings_{settings}, room_{settings.threads * 2 / 3} {}

  // no_room when too many wait; unavailable and the like of the database.
  result<answer> ask(const std::string& prefix);

private:
  struct round {
    std::vector<std::string> prefixes; // each once
    std::optional<result<std::vector<storage::api_key>>> said;
    clock::time_point asked_at;
  };

  void lead(std::unique_lock<std::mutex>& lock, round& mine);
  void end_of_lead(std::unique_lock<std::mutex>& lock, round& mine);

  storage::pool& sessions_;
  const http_settings& settings_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::shared_ptr<round> next_ = std::make_shared<round>(); // still takes prefixes
  bool being_asked_ = false;
  clock::time_point last_asked_at_{};
  const std::size_t room_;
  std::size_t waiting_ = 0; // prefixes, of all rounds
};

} // namespace arauto::http
