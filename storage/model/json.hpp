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
  // Values outside variables, the containers too: each costs up to 160 bytes of document for three
  // of text. Those inside are kept as text and are bounded by its size alone, as in the SQL door.
  std::size_t values_max = 4'096;
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
// `root` is a *string* holding its JSON text, compact, numbers as written; of one that is larger
// than allowed its first character and blanks, a byte too many, for the reader of the member to
// refuse. Elsewhere numbers must be integers that fit 64 bits (the contract has no others).
json_document parse_json(std::string_view text, const json_limits& limits);

} // namespace arauto
