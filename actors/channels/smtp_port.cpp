#include "actors/channels/smtp_port.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "actors/channels/smtp_session.hpp"
#include "storage/model/text.hpp"

namespace arauto::channels {

namespace {

namespace asio = boost::asio;
using session_ptr = std::shared_ptr<smtp_session>;

// The composer checks addresses; this is the last line before a command is made of one (S22).
bool fits_a_command(const std::string& address) {
  return !has_control(address) && address.find_first_of("<> ") == address.npos;
}

outcome ended(verdict said, const char* cause) {
  outcome made;
  made.said = said;
  made.cause = cause;
  return made;
}

class smtp_port final : public port, private session_owner {
public:
  smtp_port(smtp_settings settings, mail_account account, tls_context tls, wall_clock now)
      : settings_{std::move(settings)},
        account_{std::move(account)},
        tls_{std::move(tls)},
        now_{std::move(now)},
        io_thread_{[this] { io_.run(); }} {}

  ~smtp_port() override { stop(steady::now()); }

  result<composed> compose(const message& what) const override {
    return compose_mail(what, account_, now_());
  }

  void send(composed what, steady::time_point trusted_until,
            std::function<void(outcome)> answer) override;
  std::size_t sends_max() const override { return settings_.connections_max; }
  void stop(steady::time_point deadline) override;

private:
  // -- on the I/O thread ---
  void is_ready(smtp_session& who) override;
  void is_gone(smtp_session& who, parcel_ptr untouched) override;
  void take_arrivals();
  void dispatch();
  void open(parcel_ptr first);
  void wind_up();
  void say_if_gone();

  const smtp_settings settings_;
  const mail_account account_;
  const tls_context tls_;
  const wall_clock now_;

  // Shared with callers.
  std::mutex mutex_;
  std::condition_variable all_gone_;
  std::vector<parcel_ptr> arrivals_;
  bool stopping_ = false;
  bool gone_ = false; // winding up, and the last session is closed

  // The I/O thread's own.
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  std::deque<parcel_ptr> waiting_;
  std::vector<session_ptr> sessions_;
  std::vector<smtp_session*> idle_; // the last one used first: the others may grow old
  bool dispatching_ = false;
  bool winding_up_ = false;

  std::mutex stop_mutex_;
  std::thread io_thread_; // last: it uses everything above
};

void smtp_port::send(composed what, steady::time_point trusted_until,
                     std::function<void(outcome)> answer) {
  if (!fits_a_command(what.from) || !fits_a_command(what.to))
    return answer(ended(verdict::refused, "address_unusable"));
  auto made = std::make_unique<parcel>();
  made->bytes = what.bytes.size();
  what.bytes = content_with_dot(std::move(what.bytes));
  made->what = std::move(what);
  made->trusted_until = trusted_until;
  made->answer = std::move(answer);
  auto first = false; // of those the I/O thread has not been told about
  parcel_ptr too_late;
  {
    const std::lock_guard<std::mutex> hold{mutex_};
    first = !stopping_ && arrivals_.empty();
    if (stopping_)
      too_late = std::move(made);
    else
      arrivals_.push_back(std::move(made));
  }
  if (too_late) return too_late->answer(ended(verdict::not_begun, "stopping"));
  if (first) asio::post(io_, [this] { take_arrivals(); });
}

void smtp_port::take_arrivals() {
  std::vector<parcel_ptr> arrived;
  {
    const std::lock_guard<std::mutex> hold{mutex_};
    arrived.swap(arrivals_);
  }
  for (auto& each : arrived)
    waiting_.push_back(std::move(each));
  if (!winding_up_) dispatch();
}

// Messages that end at once lead back here from within; they are the loop's next turn, not a deeper
// call.
void smtp_port::dispatch() {
  if (std::exchange(dispatching_, true)) return;
  while (!waiting_.empty() && (!idle_.empty() || sessions_.size() < settings_.connections_max)) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    if (idle_.empty()) {
      open(std::move(next));
    } else {
      auto* const who = idle_.back();
      idle_.pop_back();
      who->send(std::move(next));
    }
  }
  dispatching_ = false;
}

void smtp_port::open(parcel_ptr first) {
  session_owner& owner = *this;
  const auto opened =
      std::make_shared<smtp_session>(io_, settings_, settings_.helo_name, tls_, owner);
  sessions_.push_back(opened);
  opened->open(std::move(first));
}

void smtp_port::is_ready(smtp_session& who) {
  if (winding_up_) return who.stop();
  idle_.push_back(&who);
  dispatch();
}

void smtp_port::is_gone(smtp_session& who, parcel_ptr untouched) {
  idle_.erase(std::remove(idle_.begin(), idle_.end(), &who), idle_.end());
  const auto is_who = [&](const session_ptr& each) { return each.get() == &who; };
  sessions_.erase(std::remove_if(sessions_.begin(), sessions_.end(), is_who), sessions_.end());
  if (untouched && winding_up_) {
    untouched->answer(ended(verdict::not_begun, "stopping"));
  } else if (untouched) {
    open(std::move(untouched));
  }
  if (!winding_up_) return dispatch();
  say_if_gone();
}

void smtp_port::wind_up() {
  winding_up_ = true;
  take_arrivals();
  for (auto& each : std::exchange(waiting_, {}))
    each->answer(ended(verdict::not_begun, "stopping"));
  for (const auto& each : std::vector<session_ptr>{sessions_})
    each->stop();
  say_if_gone();
}

void smtp_port::say_if_gone() {
  if (!sessions_.empty()) return;
  const std::lock_guard<std::mutex> hold{mutex_};
  gone_ = true;
  all_gone_.notify_all();
}

void smtp_port::stop(steady::time_point deadline) {
  const std::lock_guard<std::mutex> once{stop_mutex_};
  if (!io_thread_.joinable()) return;
  {
    std::unique_lock<std::mutex> hold{mutex_};
    stopping_ = true;
    asio::post(io_, [this] { wind_up(); });
    all_gone_.wait_until(hold, deadline, [this] { return gone_; });
  }
  asio::post(io_, [this] {
    for (const auto& each : std::vector<session_ptr>{sessions_})
      each->cut();
    work_.reset();
    io_.stop(); // a name look-up that hangs must not hold us
  });
  io_thread_.join();
}

} // namespace

result<std::unique_ptr<port>> make_smtp_port(const smtp_settings& settings, wall_clock now) {
  const auto bad = [](const char* word) { return failure{errc::bad_input, word}; };
  const auto is_word = [](const std::string& text) {
    return !has_control(text) && text.find(' ') == text.npos;
  };
  auto account =
      make_mail_account(settings.sender_address, settings.sender_name, settings.message_id_domain);
  if (!account) return account.why();
  if (settings.host.empty() || !is_word(settings.host)) return bad("host");
  if (!is_word(settings.helo_name)) return bad("helo_name");
  if (settings.connections_max == 0 || settings.messages_max == 0) return bad("connections_max");
  // The system's authorities take tens of milliseconds to read.
  const auto clear = settings.tls == tls_mode::off;
  auto tls = clear ? result<tls_context>{tls_context{}} : tls_context::make(settings.ca_file);
  if (!tls) return tls.why();

  auto complete = settings;
  const auto& sender = account->sender.as_sent;
  if (complete.helo_name.empty()) complete.helo_name = sender.substr(sender.rfind('@') + 1);
  return std::unique_ptr<port>{std::make_unique<smtp_port>(std::move(complete), std::move(*account),
                                                           std::move(*tls), std::move(now))};
}

} // namespace arauto::channels
