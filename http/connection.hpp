// What one peer says, cut into requests within bounds and deadlines, one after the other. Pure:
// bytes and instants come in, the next step comes out; it knows no socket, thread or service.
//
// The verdict on a byte depends only on the bytes before it, never on how they were cut into
// pieces. After a refusal nothing that follows is read as a request.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/settings.hpp"
#include "http/wire.hpp"

namespace arauto::http {

enum class step : std::uint8_t {
  read,   // more bytes are needed, until `deadline`
  admit,  // a head is here and its body is not: judge the head
  serve,  // a request is whole
  refuse, // say `why`, and close
  close,  // there is nothing to say
};

class connection {
public:
  using clock = std::chrono::steady_clock;

  connection(const http_settings& settings, clock::time_point now);
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  step next() const { return next_; }

  // At `read`:
  void take(std::string_view bytes, clock::time_point now);
  clock::time_point deadline() const { return deadline_; }
  bool has_begun() const { return begun_; } // a request
  void late();                              // the deadline has passed
  void stop(); // no new request is begun any more; one whose head was admitted goes on

  // At `admit` and `serve`:
  const head& given() const { return given_; }
  std::string_view body() const { return body_; } // whole at `serve`
  // Whether the peer waits to be asked for its body.
  bool invites() const { return given_.expects_continue && body_.empty(); }
  void admitted();                                     // at `admit`: read the body
  bool is_head() const { return is_head_; }            // also at `refuse`: the answer has no body
  bool has_more() const { return !received_.empty(); } // behind it
  // An answer was made; without `keep` it was the last.
  void answered(bool keep, clock::time_point now);

  // At `refuse`:
  const problem& why() const { return why_; }

  std::size_t bytes_held() const { return received_.size() + block_.size() + body_.size(); }

private:
  void look_for_head(clock::time_point now);
  bool skip_empty_lines();
  bool find_end_of_head();
  bool is_beyond_bounds(std::size_t line_end);
  void read_whole_head();
  void refuse(problem why);

  const http_settings& settings_;
  step next_ = step::read;
  clock::time_point deadline_;
  problem why_;

  std::string received_; // not yet part of a request in work
  std::size_t empty_lines_ = 0;
  std::size_t line_begin_ = 0, scanned_ = 0; // in received_, of the head that is coming
  bool begun_ = false;                       // a request's first byte has come
  bool is_head_ = false;                     // as far as is known

  std::string block_; // the head that given_ points into
  head given_;
  std::string body_;
};

} // namespace arauto::http
