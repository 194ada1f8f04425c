#include "http/workers.hpp"

#include <utility>

#include "http/stream.hpp"

namespace arauto::http {

workers::workers(std::size_t threads, std::size_t waiting_max)
    : waiting_max_{waiting_max}, idle_{threads} {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this] { serve(); });
}

workers::~workers() {
  {
    const std::lock_guard guard{mutex_};
    ending_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_)
    thread.join();
}

bool workers::enqueue(std::function<void()> work) {
  {
    const std::lock_guard guard{mutex_};
    if (line_.size() >= waiting_max_ + idle_) return false;
    line_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

std::size_t workers::waiting() const {
  const std::lock_guard guard{mutex_};
  return line_.size() > idle_ ? line_.size() - idle_ : 0;
}

void workers::serve() {
  hold_broken_pipes();
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [&] { return ending_ || !line_.empty(); });
      if (line_.empty()) return;
      work = std::move(line_.front());
      line_.pop_front();
      --idle_;
    }
    work();
    const std::lock_guard guard{mutex_};
    ++idle_;
  }
}

} // namespace arauto::http
