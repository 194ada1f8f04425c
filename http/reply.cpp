#include "http/reply.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace arauto::http {

namespace {

std::string_view reason_of(int status) {
  switch (status) {
  case 200: return "OK";
  case 201: return "Created";
  case 202: return "Accepted";
  case 204: return "No Content";
  case 400: return "Bad Request";
  case 401: return "Unauthorized";
  case 403: return "Forbidden";
  case 404: return "Not Found";
  case 405: return "Method Not Allowed";
  case 408: return "Request Timeout";
  case 409: return "Conflict";
  case 413: return "Content Too Large";
  case 414: return "URI Too Long";
  case 415: return "Unsupported Media Type";
  case 417: return "Expectation Failed";
  case 422: return "Unprocessable Content";
  case 431: return "Request Header Fields Too Large";
  case 500: return "Internal Server Error";
  case 501: return "Not Implemented";
  case 503: return "Service Unavailable";
  case 505: return "HTTP Version Not Supported";
  default: return "";
  }
}

void append_header(std::string& reply, std::string_view name, std::string_view value) {
  reply += name;
  reply += ": ";
  reply += value;
  reply += "\r\n";
}

} // namespace

std::string written_reply(const answer& said, const reply_facts& facts) {
  std::string reply;
  reply.reserve(512 + said.body.size());
  reply += "HTTP/1.1 ";
  reply += std::to_string(said.status);
  reply += ' ';
  reply += reason_of(said.status);
  reply += "\r\n";
  append_header(reply, "Date", facts.date);
  append_header(reply, "X-Request-Id", facts.request_id);
  append_header(reply, "Cache-Control", "no-store");
  append_header(reply, "X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : said.headers)
    append_header(reply, name, value);
  if (!facts.keep_alive)
    append_header(reply, "Connection", "close");
  else if (facts.says_keep_alive)
    append_header(reply, "Connection", "keep-alive");
  if (said.status != 204) { // RFC 9110, 8.6: none with 204
    append_header(reply, "Content-Type", said.content_type);
    append_header(reply, "Content-Length", std::to_string(said.body.size()));
  }
  reply += "\r\n";
  if (said.status != 204 && !facts.head_only) reply += said.body;
  return reply;
}

std::string_view date_of_now() {
  thread_local std::time_t written_at = 0;
  thread_local std::array<char, 40> text{};
  thread_local std::size_t length = 0;
  const auto now = std::time(nullptr);
  if (now != written_at) {
    std::tm utc{};
    gmtime_r(&now, &utc);
    // Not strftime's %a and %b: those follow the locale.
    static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                             "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::array<char, 40> tail{};
    std::strftime(tail.data(), tail.size(), "%Y %H:%M:%S GMT", &utc);
    length = static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%s, %02d %s %s",
                                                    days[utc.tm_wday], utc.tm_mday,
                                                    months[utc.tm_mon], tail.data()));
    written_at = now;
  }
  return {text.data(), length};
}

answer told_problem(const problem& what, std::string_view request_id) {
  answer told;
  told.status = kind_of(what.code).status;
  told.content_type = "application/problem+json";
  told.body = problem_body(what, request_id);
  if (what.retry_after_s > 0)
    told.headers.emplace_back("Retry-After", std::to_string(what.retry_after_s));
  if (!what.allow.empty()) told.headers.emplace_back("Allow", what.allow);
  if (told.status == 401) told.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"arauto\"");
  return told;
}

} // namespace arauto::http
