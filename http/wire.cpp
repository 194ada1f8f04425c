#include "http/wire.hpp"

#include <algorithm>

namespace arauto::http {

namespace {

bool is_token_character(unsigned char c) {
  if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return true;
  return std::string_view{"!#$%&'*+-.^_`|~"}.find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

// `wanted` is in lower case.
bool is_word(std::string_view text, std::string_view wanted) {
  return text.size() == wanted.size()
         && std::equal(text.begin(), text.end(), wanted.begin(),
                       [](char a, char b) { return lower(a) == b; });
}

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool lists_word(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (is_word(without_blanks(list.substr(0, comma)), wanted)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

problem malformed(const char* why) {
  return refusal(problem_code::malformed_http, why);
}

// What the lines said, before it is judged as a whole.
struct fields_seen {
  std::optional<std::string_view> host, length, transfer_encoding, content_encoding, expect,
      connection;
};

// Names that must not come twice, because two readers could take different ones.
std::optional<std::string_view>* slot_for(std::string_view name, head& kept, fields_seen& seen) {
  if (is_word(name, "host")) return &seen.host;
  if (is_word(name, "content-length")) return &seen.length;
  if (is_word(name, "content-type")) return &kept.content_type;
  if (is_word(name, "authorization")) return &kept.authorization;
  if (is_word(name, "idempotency-key")) return &kept.idempotency_key;
  if (is_word(name, "transfer-encoding")) return &seen.transfer_encoding;
  if (is_word(name, "content-encoding")) return &seen.content_encoding;
  if (is_word(name, "expect")) return &seen.expect;
  if (is_word(name, "connection")) return &seen.connection;
  return nullptr;
}

// The absolute form is read as its path (RFC 9112, 3.2.2); false: the target is no path at all.
bool read_target(std::string_view target, head& kept) {
  bool absolute = false;
  for (const std::string_view scheme : {"http://", "https://"})
    if (target.size() > scheme.size() && is_word(target.substr(0, scheme.size()), scheme)) {
      target.remove_prefix(std::min(target.find_first_of("/?", scheme.size()), target.size()));
      absolute = true;
      break;
    }
  if (!absolute && target[0] != '/') return false;
  const auto mark = target.find('?');
  kept.path = target.substr(0, mark);
  if (kept.path.empty()) kept.path = "/"; // http://host?query
  if (mark != std::string_view::npos) kept.query = target.substr(mark + 1);
  return true;
}

std::optional<problem> read_request_line(std::string_view line, const wire_limits& limits,
                                         head& kept, bool& is_1_1) {
  const auto first = line.find(' ');
  const auto second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return malformed("the request line has three parts");
  kept.method = line.substr(0, first);
  const auto target = line.substr(first + 1, second - first - 1);
  const auto version = line.substr(second + 1);
  if (!is_token(kept.method)) return malformed("the method is not a token");
  const bool visible = std::all_of(target.begin(), target.end(),
                                   [](char c) { return c > 0x20 && c < 0x7f && c != '#'; });
  if (target.empty() || !visible)
    return malformed("the target holds a character that must be encoded");
  if (version.size() != 8 || version.substr(0, 5) != "HTTP/")
    return malformed("the version is not one");
  is_1_1 = version == "HTTP/1.1";
  if (!is_1_1 && version != "HTTP/1.0") return refusal(problem_code::version_not_supported);
  if (!read_target(target, kept)) return malformed("the target is not a path");
  if (kept.path.size() > limits.path_bytes_max) return refusal(problem_code::target_too_long);
  return std::nullopt;
}

// RFC 9112, 3.2: a Host that cannot be one is refused. Whose name it is does not matter here.
bool is_host(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
           || std::string_view{"-._~%!$&'()*+,;=:[]"}.find(c) != std::string_view::npos;
  });
}

std::optional<problem> read_line(std::string_view line, head& kept, fields_seen& seen) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
    return malformed("a header line is not `name: value`");
  const auto value = without_blanks(line.substr(colon + 1));
  if (!is_value(value)) return malformed("a header value holds a control character");
  auto* slot = slot_for(line.substr(0, colon), kept, seen);
  if (slot == nullptr) return std::nullopt;
  if (*slot && slot != &seen.connection) return malformed("a header that must stand once repeats");
  // Of several Connection lines `close` wins.
  if (slot != &seen.connection || !*slot || lists_word(value, "close")) *slot = value;
  return std::nullopt;
}

std::optional<problem> read_length(std::string_view text, std::size_t most, head& kept) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  if (!digits) return malformed("Content-Length is not a number");
  std::size_t length = 0;
  for (const char c : text) {
    length = length * 10 + static_cast<std::size_t>(c - '0');
    if (length > most)
      return refusal(problem_code::too_large,
                     "the body may have " + std::to_string(most) + " bytes");
  }
  kept.content_length = length;
  return std::nullopt;
}

std::optional<problem> judge(const fields_seen& seen, bool is_1_1, const wire_limits& limits,
                             head& kept) {
  if (is_1_1 && !seen.host) return malformed("the Host header is absent");
  if (seen.host && !is_host(*seen.host)) return malformed("the Host header is not a host");
  if (seen.transfer_encoding && seen.length)
    return malformed("Content-Length and Transfer-Encoding contradict each other");
  if (seen.transfer_encoding) return refusal(problem_code::transfer_encoding_refused);
  if (seen.length)
    if (auto no = read_length(*seen.length, limits.body_bytes_max, kept)) return no;
  if (seen.content_encoding && !is_word(*seen.content_encoding, "identity"))
    return refusal(problem_code::unsupported_encoding);
  if (seen.expect && !is_word(*seen.expect, "100-continue"))
    return refusal(problem_code::expectation_failed);
  kept.expects_continue = seen.expect && is_1_1 && kept.content_length > 0;
  const auto connection = seen.connection.value_or(std::string_view{});
  kept.awaits_keep_alive = !is_1_1 && lists_word(connection, "keep-alive");
  kept.keep_alive = (is_1_1 || kept.awaits_keep_alive) && !lists_word(connection, "close");
  return std::nullopt;
}

} // namespace

or_problem<head> read_head(std::string_view block, const wire_limits& limits) {
  head kept;
  fields_seen seen;
  bool is_1_1 = true;
  std::size_t lines = 0;
  for (;; ++lines) {
    const auto end = block.find("\r\n");
    if (end == std::string_view::npos) return malformed("the header block has no end");
    const auto line = block.substr(0, end);
    block.remove_prefix(end + 2);
    if (lines == 0) {
      if (auto no = read_request_line(line, limits, kept, is_1_1)) return std::move(*no);
      continue;
    }
    if (line.empty()) break;
    if (lines > limits.headers_max) return refusal(problem_code::headers_too_large);
    if (auto no = read_line(line, kept, seen)) return std::move(*no);
  }
  if (auto no = judge(seen, is_1_1, limits, kept)) return std::move(*no);
  return kept;
}

} // namespace arauto::http
