#include "http/connection.hpp"

#include <array>
#include <cerrno>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace arauto::http {

namespace {

using namespace std::chrono_literals;

// How long a thread sleeps in the kernel before it looks around: for a stop, for others who wait,
// for its deadline.
constexpr auto slice = 100ms;
constexpr std::size_t piece_bytes = 16 * 1024;
constexpr std::size_t drained_bytes_max = 1024 * 1024;
constexpr auto drain_max = 1s;

void set_slices(int socket) {
  timeval wait{};
  wait.tv_usec = std::chrono::microseconds{slice}.count();
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// RFC 9112, 2.2: an empty line before a request is skipped.
void skip_empty_lines(std::string& received) {
  std::size_t at = 0;
  while (received.compare(at, 2, "\r\n") == 0)
    at += 2;
  received.erase(0, at);
}

bool begins_like_a_method(const std::string& received) {
  const char c = received.front();
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '\r';
}

} // namespace

connection::connection(int socket, const surroundings& around) : socket_{socket}, around_{around} {
  set_slices(socket_);
}

void connection::serve() {
  const auto most = around_.settings.requests_per_connection_max;
  const auto turn_ends = clock::now() + around_.settings.turn_max;
  for (std::size_t served = 1; served <= most && await_first_byte(); ++served) {
    const bool last = served == most || (around_.others_wait() && clock::now() >= turn_ends);
    if (!serve_one(last)) return;
  }
}

bool connection::serve_one(bool last) {
  const auto deadline = clock::now() + around_.settings.request_max;
  if (!await_head(deadline)) return false;
  if (around_.stopping) return refuse(retry_later(problem_code::stopping, 5));
  const auto read =
      read_head(head_, {around_.settings.headers_max, around_.settings.body_bytes_max});
  if (const auto* no = std::get_if<problem>(&read)) return refuse(*no);
  const auto& given = std::get<head>(read);
  call made;
  reply_facts facts{{}, {}, given.keep_alive && !last, given.method == "HEAD"};
  auto refusal = around_.serves.admit(given, made);
  facts.request_id = made.id;
  if (refusal && received_.size() < given.content_length) {
    facts.keep_alive = false; // its body is not worth reading, and would pass for a request
    reply(*refusal, facts);
    drain();
    return false;
  }
  if (given.expects_continue && received_.empty() && !hand_over("HTTP/1.1 100 Continue\r\n\r\n"))
    return false;
  if (!await_body(given.content_length, deadline)) return false;
  const auto body = std::string_view{received_}.substr(0, given.content_length);
  const auto said = refusal ? std::move(*refusal) : around_.serves.run(made, body);
  facts.keep_alive = facts.keep_alive && !around_.stopping;
  const bool told = reply(said, facts);
  received_.erase(0, given.content_length);
  return told && facts.keep_alive;
}

bool connection::await_first_byte() {
  if (!received_.empty()) return true; // the client did not wait for our answer
  const auto deadline = clock::now() + around_.settings.idle_max;
  return receive(deadline, waiting::between_requests) == arrival::some;
}

bool connection::await_head(clock::time_point deadline) {
  const auto most = around_.settings.head_bytes_max;
  for (std::size_t from = 0;;) {
    skip_empty_lines(received_);
    if (!received_.empty() && !begins_like_a_method(received_))
      return refuse(refusal(problem_code::malformed_http, "this is not an HTTP request"));
    const auto end = received_.find("\r\n\r\n", from);
    if (end != std::string::npos && end + 4 <= most) {
      head_.assign(received_, 0, end + 4);
      received_.erase(0, end + 4);
      return true;
    }
    if (received_.size() > most) return refuse(refusal(problem_code::headers_too_large));
    if (received_.find("\n\n") != std::string::npos)
      return refuse(refusal(problem_code::malformed_http, "lines end with CR LF"));
    from = received_.size() < 3 ? 0 : received_.size() - 3;
    const auto came = receive(deadline, waiting::within_one);
    if (came == arrival::ended) return false;
    if (came == arrival::late) return refuse(refusal(problem_code::request_timeout));
  }
}

bool connection::await_body(std::size_t bytes, clock::time_point deadline) {
  while (received_.size() < bytes) {
    const auto came = receive(deadline, waiting::within_one);
    if (came == arrival::ended) return false;
    if (came == arrival::late) return refuse(refusal(problem_code::request_timeout));
  }
  return true;
}

// The deadline holds for a peer that drips as for one that is silent.
connection::arrival connection::receive(clock::time_point deadline, waiting where) {
  std::array<char, piece_bytes> piece;
  for (;;) {
    const auto count = ::recv(socket_, piece.data(), piece.size(), 0);
    if (count > 0) {
      received_.append(piece.data(), static_cast<std::size_t>(count));
      return where == waiting::within_one && clock::now() >= deadline ? arrival::late
                                                                      : arrival::some;
    }
    if (count == 0) return arrival::ended;
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return arrival::ended;
    if (clock::now() >= deadline) return arrival::late;
    if (where == waiting::between_requests && (around_.stopping || around_.others_wait()))
      return arrival::ended;
  }
}

bool connection::refuse(const problem& why) {
  call made;
  const auto said = around_.serves.refused(why, made);
  if (reply(said, {made.id, {}, false, false})) drain();
  return false;
}

bool connection::reply(const answer& said, const reply_facts& facts) {
  auto dated = facts;
  dated.date = date_of_now();
  return hand_over(written_reply(said, dated));
}

bool connection::hand_over(std::string_view bytes) {
  const auto deadline = clock::now() + around_.settings.answer_max;
  while (!bytes.empty()) {
    const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
      return false;
    if (!bytes.empty() && clock::now() >= deadline) return false;
  }
  return true;
}

void connection::drain() {
  ::shutdown(socket_, SHUT_WR);
  const auto deadline = clock::now() + drain_max;
  std::array<char, piece_bytes> piece;
  for (std::size_t drained = 0; drained < drained_bytes_max && clock::now() < deadline;) {
    const auto count = ::recv(socket_, piece.data(), piece.size(), 0);
    if (count > 0)
      drained += static_cast<std::size_t>(count);
    else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
      return;
  }
}

void turn_away(int socket) {
  std::array<char, piece_bytes> piece;
  (void)::recv(socket, piece.data(), piece.size(), MSG_DONTWAIT); // unread bytes cause a reset
  const auto id = new_request_id();
  const auto said = told_problem(retry_later(problem_code::overloaded, 1), id);
  const auto bytes = written_reply(said, {id, date_of_now(), false, false});
  (void)::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

} // namespace arauto::http
