#include "http/stream.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace arauto::http {

namespace {

constexpr int empty_records_max = 16; // in a row; who changes its keys has something to say

moved outcome_of_failed_call() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? moved::not_now : moved::ended;
}

} // namespace

void hold_broken_pipes() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

stream::stream(int socket, tls_session tls) : socket_{socket}, tls_{std::move(tls)} {}

stream::~stream() {
  close();
}

// OpenSSL keeps its errors by thread: each call starts with none, or it would see another's.
moved stream::shake_hands() {
  if (is_plain()) return moved::some;
  ERR_clear_error();
  const int done = SSL_do_handshake(tls_.get());
  return done == 1 ? moved::some : outcome_of(done);
}

bool stream::awaits_room() const {
  return is_plain() ? was_writing_ : SSL_want_write(tls_.get());
}

bool stream::has_bytes_within(int milliseconds) const {
  pollfd ready{socket_, POLLIN | POLLRDHUP, 0};
  return ::poll(&ready, 1, milliseconds) == 1;
}

moved stream::read(char* room, std::size_t size, std::size_t& count) {
  was_writing_ = false;
  if (!is_plain()) return read_record(room, size, count);
  const auto got = ::recv(socket_, room, size, 0);
  if (got < 0) return outcome_of_failed_call();
  count = static_cast<std::size_t>(got);
  return got == 0 ? moved::ended : moved::some;
}

// A record may hold no data, as a change of keys does, and cost us as much as one that does. A peer
// that sends nothing else would have this thread for itself.
moved stream::read_record(char* room, std::size_t size, std::size_t& count) {
  for (;;) {
    ERR_clear_error();
    errno = 0;
    const int done = SSL_read_ex(tls_.get(), room, size, &count);
    if (done == 1) {
      empty_records_ = 0;
      return moved::some;
    }
    const bool is_empty_record =
        SSL_get_error(tls_.get(), done) == SSL_ERROR_WANT_READ && errno != EAGAIN;
    if (!is_empty_record) return outcome_of(done);
    if (errno != EINTR && ++empty_records_ > empty_records_max) return moved::ended;
  }
}

moved stream::write(std::string_view& bytes) {
  std::size_t count = 0;
  was_writing_ = true;
  if (!is_plain()) {
    ERR_clear_error();
    const int done = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &count);
    if (done != 1) return outcome_of(done);
  } else {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return outcome_of_failed_call();
    count = static_cast<std::size_t>(sent);
  }
  bytes.remove_prefix(count);
  return moved::some;
}

void stream::end_writing() {
  if (!is_plain()) {
    ERR_clear_error();
    SSL_shutdown(tls_.get());
  }
  ::shutdown(socket_, SHUT_WR);
}

moved stream::discard(std::size_t& count) {
  std::array<char, 16 * 1024> piece;
  const auto got = ::recv(socket_, piece.data(), piece.size(), 0);
  if (got < 0) return outcome_of_failed_call();
  count = static_cast<std::size_t>(got);
  return got == 0 ? moved::ended : moved::some;
}

void stream::forget_untold() {
  const linger at_once{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void stream::close() {
  tls_.reset();
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

moved stream::outcome_of(int returned) {
  const auto why = SSL_get_error(tls_.get(), returned);
  return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? moved::not_now : moved::ended;
}

} // namespace arauto::http
