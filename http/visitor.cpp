#include "http/visitor.hpp"

#include <array>
#include <utility>

#include "storage/log.hpp"

namespace arauto::http {

namespace {

constexpr std::size_t piece_bytes = 16 * 1024;
constexpr std::size_t discarded_max = 16 * 1024 * 1024;
constexpr std::size_t kept_bytes = 4 * 1024;
constexpr std::size_t handshake_steps_max = 16; // a turn
constexpr int stay_ms = 10; // a moment that costs less than to call another thread
constexpr auto never = std::chrono::steady_clock::time_point::max();

void log_crash() {
  try {
    log::error("connection_crashed", {});
  } catch (...) { // still no memory: then without a word
  }
}

} // namespace

visitor::visitor(int socket, tls_session tls, const surroundings& around)
    : line_{socket, std::move(tls)},
      around_{around},
      talk_{around.settings, clock::now()},
      deadline_{never.time_since_epoch().count()},
      idle_since_{never.time_since_epoch().count()},
      stage_{line_.is_plain() ? stage::talking : stage::greeting} {
  wait_until(talk_.deadline());
  greets_ = !line_.is_plain();
  if (greets_)
    ++around_.greeted.under_way;
  else
    idle_since_ = clock::now().time_since_epoch().count();
}

visitor::~visitor() {
  end_greeting();
}

void visitor::turn_away() {
  turned_away_ = true;
  refuse(retry_later(problem_code::overloaded, 1), false);
}

bool visitor::is_overdue(clock::time_point now) const {
  return now.time_since_epoch().count() >= deadline_.load(std::memory_order_relaxed);
}

void visitor::tell(unsigned what) {
  if ((news_.fetch_or(what | owned) & owned) == 0) proceed();
}

// Whoever is here owns the visitor, and lets go of it only when no news are left.
void visitor::proceed() {
  for (;;) {
    try {
      heed(news_.exchange(owned));
      auto now = turn::again;
      while (now == turn::again)
        now = take_turn();
      if (now == turn::given_away) return; // `this` may be gone
    } catch (...) {                        // memory: the connection is lost, the thread is not
      leave();
      log_crash();
      return;
    }
    auto expected = owned;
    if (news_.compare_exchange_strong(expected, 0)) return;
  }
}

void visitor::heed(unsigned what) {
  if ((what & (readable | hung_up)) != 0) readable_ = true;
  if ((what & hung_up) != 0) hung_up_ = true;
  if ((what & cut) != 0) cut_ = true;
  if ((what & make_room) != 0 && is_idle()) over_ = true;
  answered_here_ = false;
  if ((what & overdue) == 0 || !is_overdue(clock::now())) return;
  // The deadline holds for a peer that drips as for one that is silent.
  if (stage_ == stage::talking) return talk_.late();
  if (stage_ == stage::telling) line_.forget_untold();
  over_ = true;
}

// Also what the kernel holds is a beginning.
bool visitor::is_idle() const {
  return stage_ == stage::talking && talk_.next() == step::read && !talk_.has_begun() && !readable_
         && !line_.has_bytes_within(0);
}

visitor::turn visitor::take_turn() {
  if (over_) return leave();
  switch (stage_) {
  case stage::greeting: return greet();
  case stage::telling: return tell_answer();
  case stage::lingering: return linger();
  case stage::talking: break;
  }
  switch (talk_.next()) {
  case step::read: return read();
  case step::admit:
  case step::serve: return ask_a_worker();
  case step::refuse: refuse(talk_.why(), false); return turn::again;
  case step::close: break;
  }
  return leave();
}

visitor::turn visitor::greet() {
  if (around_.stopping) return leave();
  // What is left for the next turn is said again by the kernel.
  if (++around_.greeted.steps > handshake_steps_max) return wait_for_news(line_.awaits_room());
  const auto went = line_.shake_hands();
  if (went == moved::not_now) return wait_for_news(line_.awaits_room());
  if (went == moved::ended) return leave();
  end_greeting();
  stage_ = stage::talking;
  readable_ = true; // the request may have come with the last of the handshake
  return turn::again;
}

void visitor::end_greeting() {
  if (std::exchange(greets_, false)) --around_.greeted.under_way;
}

visitor::turn visitor::read() {
  if (around_.stopping) talk_.stop();
  if (talk_.next() != step::read) return turn::again;
  if (!readable_ && std::exchange(expects_more_, false) && around_.hands.may_stay_here())
    readable_ = line_.has_bytes_within(stay_ms);
  if (!readable_) {
    wait_until(talk_.deadline());
    if (talk_.has_begun())
      idle_since_ = never.time_since_epoch().count();
    else if (idle_since() == never.time_since_epoch().count())
      idle_since_ = clock::now().time_since_epoch().count();
    return wait_for_news(!line_.is_plain() && line_.awaits_room());
  }
  std::array<char, piece_bytes> piece;
  std::size_t count = 0;
  const auto went = line_.read(piece.data(), piece.size(), count);
  if (went == moved::ended) return leave();
  // A plain socket that gave less than it was asked for is empty, unless its end is still to read.
  if (went == moved::not_now || (line_.is_plain() && count < piece.size() && !hung_up_))
    readable_ = false;
  if (went == moved::some) talk_.take({piece.data(), count}, clock::now());
  return turn::again;
}

visitor::turn visitor::ask_a_worker() {
  wait_until(never);
  idle_since_ = never.time_since_epoch().count();
  asked_at_ = clock::now();
  const bool whole = talk_.next() == step::serve;
  const bool at_once = whole && !answered_here_ && around_.serves.answers_at_once(talk_.given());
  if (at_once || around_.hands.may_serve_here()) {
    answered_here_ = true;
    answer_request();
    return turn::again;
  }
  if (around_.hands.enqueue([this] { work(); })) return turn::given_away;
  // One refusal a turn: a row of requests must not hold the thread that all others wait for.
  const bool is_last = std::exchange(answered_here_, true) || talk_.has_more();
  refuse(retry_later(problem_code::overloaded, 1), whole && !is_last);
  return turn::again;
}

void visitor::work() {
  try {
    answer_request();
  } catch (...) { // memory
    leave();
    log_crash();
    return;
  }
  proceed();
}

void visitor::answer_request() {
  const bool whole = talk_.next() == step::serve;
  if (!admitted_ && around_.stopping) return refuse(retry_later(problem_code::stopping, 5), false);
  if (clock::now() - asked_at_ > around_.settings.waiting_max)
    return refuse(retry_later(problem_code::overloaded, 1), whole);
  if (!admitted_) {
    // A body that is not worth reading would pass for a request.
    if (const auto no = around_.serves.admit(talk_.given(), call_)) return reply(*no, whole);
    admitted_ = true;
  }
  if (whole) return reply(around_.serves.run(call_, talk_.body()), true);
  if (talk_.invites()) {
    outgoing_ = "HTTP/1.1 100 Continue\r\n\r\n";
    end_words();
  }
  talk_.admitted();
}

void visitor::refuse(const problem& why, bool may_stay) {
  reply(around_.serves.refused(why, call_), may_stay);
}

void visitor::reply(const answer& said, bool may_stay) {
  const auto& given = talk_.given();
  const bool stays = may_stay && given.keep_alive && !around_.stopping
                     && ++answers_ < around_.settings.requests_per_connection_max;
  outgoing_ = written_reply(
      said, {call_.id, date_of_now(), stays, talk_.is_head(), given.awaits_keep_alive});
  end_words();
  closing_ = !stays;
  expects_more_ = stays;
  admitted_ = false;
  call_ = {};
  talk_.answered(stays, clock::now());
}

void visitor::end_words() {
  untold_ = outgoing_;
  stage_ = stage::telling;
  wait_until(clock::now() + around_.settings.answer_max);
}

visitor::turn visitor::tell_answer() {
  while (!untold_.empty()) {
    const auto went = line_.write(untold_);
    if (went == moved::not_now) return wait_for_news(line_.awaits_room());
    if (went == moved::ended) return leave();
  }
  outgoing_.clear();
  if (outgoing_.capacity() > kept_bytes) std::string{}.swap(outgoing_);
  stage_ = stage::talking;
  if (!closing_) return turn::again;
  line_.end_writing();
  stage_ = stage::lingering;
  readable_ = true;
  wait_until(clock::now() + around_.settings.linger_max);
  return turn::again;
}

visitor::turn visitor::linger() {
  while (readable_ && discarded_ <= discarded_max) {
    std::size_t count = 0;
    const auto went = line_.discard(count);
    if (went == moved::ended) return leave();
    if (went == moved::not_now) readable_ = false;
    discarded_ += count;
  }
  return discarded_ > discarded_max ? leave() : wait_for_news(false);
}

visitor::turn visitor::leave() {
  end_greeting();
  wait_until(never);
  line_.close();
  around_.left(*this);
  return turn::given_away;
}

visitor::turn visitor::wait_for_news(bool to_write) {
  if (cut_) {
    if (stage_ == stage::telling) line_.forget_untold();
    return leave();
  }
  return around_.listen_for(*this, line_.socket(), to_write) ? turn::waits : leave();
}

void visitor::wait_until(clock::time_point when) {
  deadline_.store(when.time_since_epoch().count(), std::memory_order_relaxed);
}

} // namespace arauto::http
