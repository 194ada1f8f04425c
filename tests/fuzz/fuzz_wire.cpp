// A request's head. What is let in can be read in one way only: written out plainly it is read as
// the same, and nothing in it ends a line or a field.
#include <string>

#include "http/wire.hpp"
#include "tests/fuzz/must.hpp"

namespace {

using namespace arauto::http;

bool is_plain(std::string_view text) {
  for (const unsigned char c : text)
    if (c < 0x20 || c == 0x7f) return false;
  return true;
}

std::string plainly(const head& h) {
  std::string text{h.method};
  text += " " + std::string{h.path};
  if (!h.query.empty()) text += "?" + std::string{h.query};
  text += " HTTP/1.1\r\nHost: a\r\n";
  const auto field = [&](const char* name, std::optional<std::string_view> value) {
    if (value) text += std::string{name} + ": " + std::string{*value} + "\r\n";
  };
  field("Authorization", h.authorization);
  field("Content-Type", h.content_type);
  field("Idempotency-Key", h.idempotency_key);
  const auto length = std::to_string(h.content_length);
  if (h.content_length > 0) field("Content-Length", length);
  return text + "\r\n";
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string block{reinterpret_cast<const char*>(data), size};
  const auto end = block.find("\r\n\r\n"); // as the connection finds it
  block = block.substr(0, end) + "\r\n\r\n";
  const auto read = read_head(block, {});
  const auto* h = std::get_if<head>(&read);
  if (h == nullptr) return 0;
  MUST(!h->method.empty() && is_plain(h->method) && h->method.find(' ') == std::string::npos);
  MUST(!h->path.empty() && h->path[0] == '/' && is_plain(h->path) && is_plain(h->query));
  MUST(h->path.find_first_of(" ?#") == std::string::npos);
  MUST(h->content_length <= wire_limits{}.body_bytes_max);
  for (const auto& value : {h->authorization, h->content_type, h->idempotency_key})
    MUST(!value || value->find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos);
  const auto plain = plainly(*h);
  const auto again = read_head(plain, {});
  const auto* same = std::get_if<head>(&again);
  MUST(same != nullptr);
  MUST(same->method == h->method && same->path == h->path && same->query == h->query);
  MUST(same->authorization == h->authorization && same->content_type == h->content_type);
  MUST(same->idempotency_key == h->idempotency_key);
  MUST(same->content_length == h->content_length);
  return 0;
}
