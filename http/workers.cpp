#include "http/workers.hpp"

#include <utility>

namespace arauto::http {

namespace {

thread_local bool turning_away = false;

} // namespace

bounded_workers::bounded_workers(std::size_t threads, std::size_t waiting_max,
                                 std::atomic<std::size_t>& waiting)
    : waiting_max_{waiting_max}, waiting_{waiting} {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this] { work(); });
}

void bounded_workers::enqueue(std::function<void()> serve) {
  {
    const std::lock_guard guard{mutex_};
    if (line_.size() < waiting_max_) {
      line_.push_back(std::move(serve));
      waiting_ = without_thread();
      changed_.notify_one();
      return;
    }
  }
  turning_away = true;
  serve();
  turning_away = false;
}

void bounded_workers::shutdown() {
  {
    const std::lock_guard guard{mutex_};
    ending_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_)
    thread.join();
}

bool bounded_workers::is_turning_away() {
  return turning_away;
}

void bounded_workers::work() {
  for (;;) {
    std::function<void()> serve;
    {
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [&] { return ending_ || !line_.empty(); });
      if (line_.empty()) return;
      serve = std::move(line_.front());
      line_.pop_front();
      ++busy_;
      waiting_ = without_thread();
    }
    serve();
    const std::lock_guard guard{mutex_};
    --busy_;
    waiting_ = without_thread();
  }
}

// A newcomer that a free thread has not woken up for yet is no reason to end anybody's turn.
std::size_t bounded_workers::without_thread() const {
  const auto idle = threads_.size() - busy_;
  return line_.size() > idle ? line_.size() - idle : 0;
}

} // namespace arauto::http
