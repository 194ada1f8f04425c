#include "actors/channels/http_client.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>

#include <curl/curl.h>

#include "actors/channels/http_exchange.hpp"

namespace arauto::channels {

namespace {

using steady = http_request::steady;
using exchange_ptr = std::shared_ptr<http_exchange>;

void begin_curl() {
  static const auto begun = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (begun != CURLE_OK) throw std::runtime_error{"libcurl does not start"};
}

} // namespace

std::string http_answer::header(const std::string& name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == headers.end() ? "" : found->second;
}

class http_client::inside {
public:
  explicit inside(http_client_settings settings) : settings_{std::move(settings)} {
    begin_curl();
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
    curl_multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS,
                      static_cast<long>(settings_.sends_max));
    io_thread_ = std::thread{[this] { run(); }};
  }

  ~inside() {
    stop(steady::now());
    for (auto* handle : free_)
      curl_easy_cleanup(handle);
    curl_multi_cleanup(multi_);
  }

  void send(const exchange_ptr& what) {
    auto is_late = false;
    {
      const std::lock_guard<std::mutex> hold{mutex_};
      is_late = stopping_;
      if (!is_late) arrivals_.push_back(what);
    }
    if (is_late) return what->answer_not_begun("stopping");
    curl_multi_wakeup(multi_);
  }

  void stop(steady::time_point deadline) {
    const std::lock_guard<std::mutex> once{stop_mutex_};
    {
      const std::lock_guard<std::mutex> hold{mutex_};
      deadline_ = deadline;
      stopping_ = true;
    }
    if (!io_thread_.joinable()) return;
    curl_multi_wakeup(multi_);
    io_thread_.join();
  }

private:
  // -- on the I/O thread ---
  void run();
  bool take_arrivals(); // false: we are stopping, and nothing is worth waiting for
  void begin_waiting();
  void end_finished();
  void end(CURL* handle, CURLcode how);
  void end_all();

  const http_client_settings settings_;
  CURLM* multi_ = nullptr;

  // Shared with callers.
  std::mutex mutex_;
  std::deque<exchange_ptr> arrivals_;
  bool stopping_ = false;
  steady::time_point deadline_{};

  // The I/O thread's own.
  std::deque<exchange_ptr> waiting_;
  std::unordered_map<CURL*, exchange_ptr> open_;
  std::vector<CURL*> free_;
  bool winding_up_ = false;

  std::mutex stop_mutex_;
  std::thread io_thread_;
};

void http_client::inside::run() {
  while (take_arrivals()) {
    begin_waiting();
    int running = 0;
    curl_multi_perform(multi_, &running);
    end_finished();
    if (!waiting_.empty() && open_.size() < settings_.sends_max) continue;
    // Sends and a stop wake it; a deadline does not.
    curl_multi_poll(multi_, nullptr, 0, winding_up_ ? 10 : 1'000, nullptr);
  }
  end_all();
}

bool http_client::inside::take_arrivals() {
  const std::lock_guard<std::mutex> hold{mutex_};
  while (!arrivals_.empty()) {
    waiting_.push_back(std::move(arrivals_.front()));
    arrivals_.pop_front();
  }
  winding_up_ = stopping_;
  return !winding_up_ || (!open_.empty() && steady::now() < deadline_);
}

void http_client::inside::begin_waiting() {
  while (!waiting_.empty() && (winding_up_ || open_.size() < settings_.sends_max)) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    if (winding_up_ || next->is_too_late()) {
      next->answer_not_begun(winding_up_ ? "stopping" : "trust_ended");
      continue;
    }
    auto* handle = free_.empty() ? curl_easy_init() : free_.back();
    if (!free_.empty()) free_.pop_back();
    next->prepare(handle, settings_);
    curl_multi_add_handle(multi_, handle);
    open_.emplace(handle, std::move(next));
  }
}

void http_client::inside::end_finished() {
  int left = 0;
  while (const auto* said = curl_multi_info_read(multi_, &left))
    if (said->msg == CURLMSG_DONE) end(said->easy_handle, said->data.result);
}

void http_client::inside::end(CURL* handle, CURLcode how) {
  const auto found = open_.find(handle);
  if (found == open_.end()) return;
  const auto ended = std::move(found->second);
  open_.erase(found);
  curl_multi_remove_handle(multi_, handle);
  ended->answer(how);
  if (ended->give_handle_back() == nullptr) return; // it ends with its exchange
  curl_easy_reset(handle);
  free_.push_back(handle);
}

void http_client::inside::end_all() {
  for (auto& each : waiting_)
    each->answer_not_begun("stopping");
  waiting_.clear();
  while (!open_.empty()) {
    const auto ended = std::move(open_.begin()->second);
    open_.erase(open_.begin());
    curl_multi_remove_handle(multi_, ended->handle());
    ended->answer_stopped();
  }
}

http_client::http_client(const http_client_settings& settings)
    : inside_{std::make_unique<inside>(settings)} {}

http_client::~http_client() {
  inside_->stop(steady::now());
}

void http_client::send(http_request what, std::function<void(http_answer)> answered) {
  inside_->send(std::make_shared<http_exchange>(std::move(what), std::move(answered)));
}

void http_client::stop(steady::time_point deadline) {
  inside_->stop(deadline);
}

} // namespace arauto::channels
