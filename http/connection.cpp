#include "http/connection.hpp"

#include <algorithm>
#include <utility>

namespace arauto::http {

namespace {

constexpr std::size_t empty_lines_max = 8; // before a request; RFC 9112, 2.2 asks for one
constexpr std::size_t kept_bytes = 4 * 1024;

bool begins_like_a_method(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool begins_with_head(std::string_view text) {
  return text.substr(0, 5) == "HEAD ";
}

// Thousands of idle connections must not each keep the room of their largest request.
void make_small(std::string& text) {
  text.clear();
  if (text.capacity() > kept_bytes) std::string{}.swap(text);
}

} // namespace

connection::connection(const http_settings& settings, clock::time_point now)
    : settings_{settings}, deadline_{now + settings.request_max} {}

void connection::take(std::string_view bytes, clock::time_point now) {
  if (block_.empty()) {
    received_.append(bytes);
    look_for_head(now);
    return;
  }
  const auto part = bytes.substr(0, given_.content_length - body_.size());
  body_.append(part);
  received_.append(bytes.substr(part.size()));
  if (body_.size() == given_.content_length) next_ = step::serve;
}

void connection::late() {
  if (begun_)
    refuse(refusal(problem_code::request_timeout));
  else
    next_ = step::close;
}

void connection::stop() {
  if (!block_.empty()) return;
  if (begun_)
    refuse(retry_later(problem_code::stopping, 5));
  else
    next_ = step::close;
}

void connection::admitted() {
  next_ = step::read;
}

void connection::answered(bool keep, clock::time_point now) {
  make_small(block_);
  make_small(body_);
  given_ = {};
  begun_ = is_head_ = false;
  line_begin_ = scanned_ = empty_lines_ = 0;
  deadline_ = now + settings_.idle_max;
  if (!keep) {
    make_small(received_);
    next_ = step::close;
    return;
  }
  next_ = step::read;
  look_for_head(now); // the peer did not wait for our answer
  if (received_.empty()) make_small(received_);
}

void connection::look_for_head(clock::time_point now) {
  if (!begun_) {
    if (!skip_empty_lines()) return;
    begun_ = true;
    deadline_ = now + settings_.request_max;
  }
  if (find_end_of_head()) read_whole_head();
}

// True when a request begins at the first byte.
bool connection::skip_empty_lines() {
  std::size_t at = 0;
  for (; received_.compare(at, 2, "\r\n") == 0; at += 2)
    if (++empty_lines_ > empty_lines_max) {
      refuse(refusal(problem_code::malformed_http, "too many empty lines"));
      return false;
    }
  received_.erase(0, at);
  if (received_.empty() || received_ == "\r") return false;
  if (begins_like_a_method(received_.front())) return true;
  refuse(refusal(problem_code::malformed_http, "this is not an HTTP request"));
  return false;
}

// Line by line, so that what is wrong is found at the same byte however the bytes came.
bool connection::find_end_of_head() {
  for (;;) {
    const auto found = received_.find('\n', scanned_);
    const auto line_end = found == std::string::npos ? received_.size() : found + 1;
    if (is_beyond_bounds(line_end)) return false;
    scanned_ = line_end;
    if (found == std::string::npos) return false;
    if (found == 0 || received_[found - 1] != '\r') {
      refuse(refusal(problem_code::malformed_http, "lines end with CR LF"));
      return false;
    }
    if (line_end - line_begin_ == 2) return true;
    line_begin_ = line_end;
  }
}

bool connection::is_beyond_bounds(std::size_t line_end) {
  const auto line_bound = line_begin_ + settings_.line_bytes_max;
  const auto bound = std::min(line_bound, settings_.head_bytes_max);
  if (line_end <= bound) return false;
  // What has a blank by now has a method, and its target is what is long.
  const bool in_target =
      line_begin_ == 0 && std::string_view{received_}.substr(0, bound).find(' ') != received_.npos;
  refuse(refusal(in_target ? problem_code::target_too_long : problem_code::headers_too_large));
  return true;
}

void connection::read_whole_head() {
  block_.assign(received_, 0, scanned_);
  is_head_ = begins_with_head(block_);
  // What a call takes is asked when it is known which; no call takes more than this.
  const auto most = std::max(settings_.body_bytes_max, settings_.batch_bytes_max);
  auto read = read_head(block_, {settings_.headers_max, settings_.path_bytes_max, most});
  if (auto* no = std::get_if<problem>(&read)) return refuse(std::move(*no));
  given_ = std::get<head>(read);
  const auto part = std::min(given_.content_length, received_.size() - scanned_);
  body_.assign(received_, scanned_, part);
  received_.erase(0, scanned_ + part);
  next_ = part == given_.content_length ? step::serve : step::admit;
}

void connection::refuse(problem why) {
  if (begun_ && block_.empty()) is_head_ = begins_with_head(received_);
  why_ = std::move(why);
  make_small(received_);
  next_ = step::refuse;
}

} // namespace arauto::http
