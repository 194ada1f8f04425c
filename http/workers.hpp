// A fixed number of threads for requests, and a bounded line before them. Work is put into the
// hands of the thread that became free last: it is warm, and has no lock to ask for when it wakes.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace arauto::http {

class workers {
public:
  workers(std::size_t threads, std::size_t waiting_max);
  ~workers(); // returns when all that was taken in has ended
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;

  // False: the line is full, and `work` was not taken. Who finds a free thread stands in no line.
  bool enqueue(std::function<void()> work);
  std::size_t waiting() const; // for a thread

  // Whether this is one of the threads, and nobody stands in the line before it.
  bool may_serve_here() const;
  // Whether it may wait for a moment, because enough others are free.
  bool may_stay_here() const;

private:
  struct worker;

  void serve(worker& self);
  bool next_for(worker& self); // false: there is none, and `self` is idle now

  const std::size_t waiting_max_;
  mutable std::mutex mutex_;
  std::deque<std::function<void()>> line_;
  std::vector<worker*> idle_;                     // the last one is asked first
  std::atomic<std::size_t> in_line_{0}, free_{0}; // as of the last change, for who only looks
  bool ending_ = false;
  std::vector<std::unique_ptr<worker>> all_;
};

} // namespace arauto::http
