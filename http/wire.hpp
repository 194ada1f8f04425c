// The grammar of a request's head (RFC 9110, 9112), read strictly: what two programs could read in
// two ways is refused (request smuggling), and so is what this API has no use for. Pure; the views
// point into the block that was given.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "http/problem.hpp"

namespace arauto::http {

struct wire_limits {
  std::size_t headers_max = 64;
  std::size_t path_bytes_max = 2'048; // two ids of 255 bytes, each byte escaped, have room
  std::size_t body_bytes_max = 256 * 1024;
};

// Only the fields this API looks at are kept; all are judged.
struct head {
  std::string_view method;
  std::string_view path;  // raw, still percent-encoded
  std::string_view query; // raw, without the question mark
  std::optional<std::string_view> authorization, content_type, idempotency_key;
  std::size_t content_length = 0;
  bool keep_alive = true;
  bool awaits_keep_alive = false; // HTTP/1.0: it is kept only when our answer says so
  bool expects_continue = false;
};

// `block` ends with the empty line. After a refusal the connection cannot be used any more: nobody
// knows where the next request would begin.
or_problem<head> read_head(std::string_view block, const wire_limits& limits);

} // namespace arauto::http
