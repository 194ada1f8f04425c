// A fixed number of threads for connections, and a bounded line before them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <httplib.h>

namespace arauto::http {

class bounded_workers : public httplib::TaskQueue {
public:
  // `waiting` tells whoever may make room how many of the line no free thread is about to take; it
  // outlives this.
  bounded_workers(std::size_t threads, std::size_t waiting_max, std::atomic<std::size_t>& waiting);

  // When the line is full, `serve` is run at once, on this thread, with is_turning_away() true:
  // httplib hands over no socket that could be closed here.
  void enqueue(std::function<void()> serve) override;
  void shutdown() override; // returns when all that was taken in has ended

  static bool is_turning_away();

private:
  void work();
  std::size_t without_thread() const;

  std::size_t waiting_max_;
  std::atomic<std::size_t>& waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> line_;
  std::size_t busy_ = 0; // threads
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

} // namespace arauto::http
