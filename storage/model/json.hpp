// The strict JSON door (RFC 8259 narrowed by RFC 7493): depth and size bounded while parsing,
// duplicate members, invalid UTF-8, lone surrogates and U+0000 refused, numbers kept as written or
// refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "storage/model/errc.hpp"

namespace arauto {

struct json_limits {
  std::size_t depth_max = 32;
  std::size_t variables_bytes_max = 65'536;
};

struct json_problem {
  std::string pointer; // RFC 6901, where; empty: the whole document
  std::string what;    // for people; never quotes the input
};

struct json_document {
  bool good = false;
  json_problem problem; // when not good
  nlohmann::json root;
};

// The member "variables" of a notification, alone or in a batch, is kept verbatim: its value in
// `root` is a *string* holding its JSON text, compact, numbers as written. Elsewhere numbers must
// be integers that fit 64 bits (the contract has no others).
json_document parse_json(std::string_view text, const json_limits& limits);

} // namespace arauto
