#include "http/workers.hpp"

#include <cerrno>
#include <thread>
#include <utility>

#include <semaphore.h>

#include "http/stream.hpp"

namespace arauto::http {

namespace {

thread_local bool is_one_of_them = false;
constexpr std::size_t kept_free = 8; // an eighth

} // namespace

struct workers::worker {
  worker() { ::sem_init(&bell, 0, 0); }
  ~worker() { ::sem_destroy(&bell); }
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  void ring() { ::sem_post(&bell); }
  void wait() {
    while (::sem_wait(&bell) != 0 && errno == EINTR)
      continue;
  }

  sem_t bell;
  std::function<void()> work; // none: the end
  std::thread thread;
};

workers::workers(std::size_t threads, std::size_t waiting_max) : waiting_max_{waiting_max} {
  idle_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    all_.push_back(std::make_unique<worker>());
    idle_.push_back(all_.back().get());
  }
  for (auto& one : all_)
    one->thread = std::thread{[this, &self = *one] { serve(self); }};
}

workers::~workers() {
  std::vector<worker*> idle;
  {
    const std::lock_guard guard{mutex_};
    ending_ = true;
    idle.swap(idle_);
  }
  for (auto* one : idle)
    one->ring();
  for (auto& one : all_)
    one->thread.join();
}

bool workers::enqueue(std::function<void()> work) {
  worker* free = nullptr;
  {
    const std::lock_guard guard{mutex_};
    if (idle_.empty()) {
      if (line_.size() >= waiting_max_) return false;
      line_.push_back(std::move(work));
      in_line_ = line_.size();
      return true;
    }
    free = idle_.back();
    idle_.pop_back();
    free_ = idle_.size();
  }
  free->work = std::move(work);
  free->ring();
  return true;
}

std::size_t workers::waiting() const {
  const std::lock_guard guard{mutex_};
  return line_.size();
}

bool workers::may_serve_here() const {
  return is_one_of_them && in_line_ == 0;
}

bool workers::may_stay_here() const {
  return may_serve_here() && free_ >= all_.size() / kept_free + 1;
}

void workers::serve(worker& self) {
  hold_broken_pipes();
  is_one_of_them = true;
  for (;;) {
    self.wait();
    if (!self.work) return;
    do {
      std::exchange(self.work, nullptr)();
    } while (next_for(self));
  }
}

bool workers::next_for(worker& self) {
  const std::lock_guard guard{mutex_};
  if (!line_.empty()) {
    self.work = std::move(line_.front());
    line_.pop_front();
    in_line_ = line_.size();
    return true;
  }
  if (ending_)
    self.ring(); // to itself: there is no work in its hands
  else
    idle_.push_back(&self);
  free_ = idle_.size();
  return false;
}

} // namespace arauto::http
