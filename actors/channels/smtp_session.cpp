#include "actors/channels/smtp_session.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>

namespace arauto::channels {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

smtp_session::smtp_session(asio::io_context& io, const smtp_settings& settings,
                           const std::string& helo_name, const tls_context& tls,
                           session_owner& owner)
    : settings_{settings},
      helo_name_{helo_name},
      tls_context_{tls},
      owner_{owner},
      resolver_{io},
      socket_{io},
      timer_{io},
      opening_{settings, helo_name} {}

// -- opening ---

void smtp_session::open(parcel_ptr first) {
  parcel_ = std::move(first);
  place_ = place::connecting;
  wait_until(std::min(steady::now() + settings_.connect_timeout, parcel_->trusted_until));
  connect();
}

void smtp_session::connect() {
  resolver_.async_resolve(
      settings_.host, std::to_string(settings_.port),
      [self = shared_from_this()](const error_code& ec, const tcp::resolver::results_type& found) {
        if (self->place_ != place::connecting) return;
        if (ec) return self->lose(smtp_trouble::host_not_found);
        asio::async_connect(self->socket_, found,
                            [self](const error_code& refused, const tcp::endpoint&) {
                              if (self->place_ != place::connecting) return;
                              if (refused) return self->lose(smtp_trouble::connect_failed);
                              self->connected();
                            });
      });
}

void smtp_session::connected() {
  error_code ec;
  socket_.set_option(tcp::no_delay{true}, ec);
  if (!ec) socket_.non_blocking(true, ec);
  if (ec) return lose(smtp_trouble::connect_failed);
  place_ = place::opening;
  wait_for_reply();
  if (settings_.tls == tls_mode::implicit) follow({smtp_opening::act::begin_tls, {}, {}});
  if (place_ != place::closed) read();
}

void smtp_session::follow(const smtp_opening::step& next) {
  wait_for_reply();
  switch (next.what) {
  case smtp_opening::act::say: return say(next.line);
  case smtp_opening::act::begin_tls:
    if (replies_.holds_more()) return lose(smtp_trouble::tls_tampered);
    place_ = place::shaking_hands;
    tls_.emplace(tls_context_, settings_.host, opening_.wants_verified_tls());
    return shake_hands();
  case smtp_opening::act::ready: return begin_message();
  case smtp_opening::act::refuse: return leave(next.why, false);
  }
}

void smtp_session::shake_hands() {
  const auto how = tls_->handshake();
  out_ += tls_->ciphertext();
  push();
  if (place_ != place::shaking_hands || how == smtp_tls::progress::wants_more) return;
  if (how != smtp_tls::progress::done) {
    const auto unverified = how == smtp_tls::progress::unverified;
    auto said = outcome_of(opening_.stage(),
                           unverified ? smtp_trouble::tls_unverified : smtp_trouble::tls_failed);
    if (unverified) said.detail = tls_->objection();
    return leave(std::move(said), false);
  }
  place_ = place::opening;
  if (settings_.tls != tls_mode::implicit) follow(opening_.tls_is_up());
}

// -- one message ---

void smtp_session::send(parcel_ptr next) {
  parcel_ = std::move(next);
  begin_message();
}

void smtp_session::begin_message() {
  if (replies_.holds_more()) return lose(smtp_trouble::nonsense);
  const auto now = steady::now();
  place_ = place::talking;
  transaction_.emplace(parcel_->what, parcel_->bytes, opening_.offer());
  const auto objection =
      now >= parcel_->trusted_until ? smtp_trouble::trust_ended : transaction_->objection();
  if (objection)
    return answer_and(smtp_transaction::act::end_kept, transaction_->ended_by(*objection));
  ++messages_;
  message_deadline_ = std::min(now + settings_.message_timeout, parcel_->trusted_until);
  wait_for_reply();
  say(transaction_->first_words());
}

void smtp_session::follow(smtp_transaction::step next) {
  switch (next.what) {
  case smtp_transaction::act::wait: return;
  case smtp_transaction::act::say: wait_for_reply(); return say(next.line);
  case smtp_transaction::act::send_content: return send_content();
  default: return answer_and(next.what, std::move(next.said));
  }
}

// The connection is put to its next use before the answer is given: whoever hears the answer may
// take his time.
void smtp_session::answer_and(smtp_transaction::act how, outcome said) {
  if (how == smtp_transaction::act::end_cut) {
    const auto aged = transaction_->is_untouched() && said.said == verdict::refused_for_now;
    return leave(std::move(said), aged);
  }
  const auto done = std::move(parcel_);
  transaction_.reset();
  if (how == smtp_transaction::act::end_kept) {
    rest();
  } else {
    const auto empty = how == smtp_transaction::act::end_empty;
    place_ = empty ? place::emptying : place::resetting;
    wait_for_reply();
    say(empty ? ".\r\n" : "RSET\r\n");
  }
  done->answer(std::move(said));
}

void smtp_session::rest() {
  if (messages_ >= settings_.messages_max || replies_.holds_more()) return quit();
  place_ = place::idle;
  wait_until(steady::now() + settings_.idle_timeout);
  owner_.is_ready(*this);
}

// -- bytes ---

void smtp_session::read() {
  socket_.async_read_some(asio::buffer(in_),
                          [self = shared_from_this()](const error_code& ec, std::size_t size) {
                            if (self->place_ == place::closed) return;
                            if (ec) return self->lose(smtp_trouble::lost);
                            self->take(std::string_view{self->in_.data(), size});
                            if (self->place_ != place::closed) self->read();
                          });
}

void smtp_session::take(std::string_view bytes) {
  if (!tls_) return take_plain(bytes);
  tls_->take(bytes);
  if (place_ == place::shaking_hands) shake_hands();
  if (place_ == place::closed || place_ == place::shaking_hands) return;
  auto closed = false;
  const auto plain = tls_->plaintext(closed);
  out_ += tls_->ciphertext();
  push();
  take_plain(plain);
  if (closed && place_ != place::closed) lose(smtp_trouble::lost);
}

void smtp_session::take_plain(std::string_view bytes) {
  replies_.take(bytes);
  smtp_reply reply;
  while (place_ != place::closed) {
    switch (replies_.next(reply)) {
    case smtp_reply_reader::found::nothing_yet: return;
    case smtp_reply_reader::found::nonsense: return lose(smtp_trouble::nonsense);
    case smtp_reply_reader::found::reply: take(reply);
    }
  }
}

void smtp_session::take(const smtp_reply& reply) {
  switch (place_) {
  case place::opening: return follow(opening_.take(reply));
  case place::talking: return follow(transaction_->take(reply));
  case place::emptying: // whatever it says: nobody received anything
    place_ = place::resetting;
    wait_for_reply();
    return say("RSET\r\n");
  case place::resetting: return reply.kind() == 2 ? rest() : quit();
  default: return lose(smtp_trouble::nonsense); // nobody asked
  }
}

void smtp_session::say(std::string_view words) {
  if (!tls_) {
    out_ += words;
  } else {
    if (!tls_->encrypt(words)) return lose(smtp_trouble::lost);
    out_ += tls_->ciphertext();
  }
  push();
}

// An answer that is here before the content is no answer to it.
void smtp_session::send_content() {
  if (replies_.holds_more()) return lose(smtp_trouble::nonsense);
  content_in_out_ = true;
  wait_for_reply();
  auto content = std::move(parcel_->what.bytes);
  if (tls_ || !out_.empty()) return say(content);
  out_ = std::move(content);
  push();
}

// A write that fails is not reported here: reading goes on, and brings the server's last words or
// the end.
void smtp_session::push() {
  while (!waiting_to_write_ && !write_failed_ && written_ < out_.size()) {
    if (content_in_out_ && steady::now() >= parcel_->trusted_until)
      return lose(smtp_trouble::trust_ended);
    error_code ec;
    written_ += socket_.write_some(asio::buffer(out_) + written_, ec);
    if (ec == asio::error::would_block) {
      waiting_to_write_ = true;
      socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](const error_code&) {
        self->waiting_to_write_ = false;
        if (self->place_ != place::closed) self->push();
      });
    }
    write_failed_ = ec && ec != asio::error::would_block;
  }
  if (written_ < out_.size()) return;
  out_.clear();
  written_ = 0;
  if (!content_in_out_) return;
  content_in_out_ = false;
  out_.shrink_to_fit(); // a large message must not stay with an idle connection
  transaction_->dot_is_written();
  wait_until(steady::now() + settings_.answer_timeout);
}

// -- ends ---

void smtp_session::wait_for_reply() {
  auto when = steady::now() + settings_.command_timeout;
  if (place_ == place::talking)
    when = std::min(when, message_deadline_);
  else if (parcel_)
    when = std::min(when, parcel_->trusted_until);
  wait_until(when);
}

void smtp_session::wait_until(steady::time_point when) {
  deadline_ = when;
  if (deadline_ < armed_for_) arm();
}

void smtp_session::arm() {
  armed_for_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](const error_code& ec) {
    if (ec || self->place_ == place::closed) return;
    if (steady::now() >= self->deadline_) return self->time_is_up();
    self->arm();
  });
}

void smtp_session::time_is_up() {
  if (place_ == place::idle) return quit();
  const auto trusted = !parcel_ || steady::now() < parcel_->trusted_until;
  lose(trusted ? smtp_trouble::timed_out : smtp_trouble::trust_ended);
}

void smtp_session::lose(smtp_trouble trouble) {
  if (!transaction_) {
    const auto stage = place_ == place::connecting ? smtp_stage::connecting : opening_.stage();
    return leave(outcome_of(stage, trouble), false);
  }
  const auto aged = transaction_->is_untouched()
                    && (trouble == smtp_trouble::lost || trouble == smtp_trouble::nonsense);
  leave(transaction_->ended_by(trouble), aged);
}

void smtp_session::leave(outcome said, bool may_try_again) {
  const auto self = shared_from_this(); // the owner may hold the last other reference
  shut();
  auto left = std::move(parcel_);
  // A second try is the first message of its connection, so there is no third.
  if (left && may_try_again && messages_ > 1) return owner_.is_gone(*this, std::move(left));
  owner_.is_gone(*this, nullptr);
  if (left) left->answer(std::move(said));
}

void smtp_session::stop() {
  switch (place_) {
  case place::closed:
  case place::talking: return;
  case place::idle:
  case place::emptying:
  case place::resetting: return quit();
  default: return lose(smtp_trouble::stopping);
  }
}

void smtp_session::cut() {
  if (place_ != place::closed) lose(smtp_trouble::stopping);
}

// The answer to QUIT is of no interest, and waiting for it would keep a place in the pool.
void smtp_session::quit() {
  say("QUIT\r\n");
  if (place_ != place::closed) leave({}, false);
}

void smtp_session::shut() {
  place_ = place::closed;
  error_code ignored;
  timer_.cancel(ignored);
  resolver_.cancel();
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  socket_.close(ignored);
}

} // namespace arauto::channels
