// A fixed number of threads for requests, and a bounded line before them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace arauto::http {

class workers {
public:
  workers(std::size_t threads, std::size_t waiting_max);
  ~workers(); // returns when all that was taken in has ended
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;

  // False: the line is full, and `work` was not taken. A thread that is free is no part of it.
  bool enqueue(std::function<void()> work);
  std::size_t waiting() const; // for a thread

private:
  void serve();

  const std::size_t waiting_max_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> line_;
  std::size_t idle_ = 0; // threads
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

} // namespace arauto::http
