// Reads one part of a template before mustache does: refuses what the strict reading does not
// allow, finds the names it needs, and rewrites it so that rendering can tell values from sections
// and links from text. Used by rendering only.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "storage/model/message.hpp"

namespace arauto {

inline constexpr std::size_t part_bytes_max = 262'144;

// First character of a name in the rewritten source; no name in a template can begin so.
inline constexpr char value_name = '\x01';        // a name to print; without it: a section's name
inline constexpr char section_cost_name = '\x02'; // an index into section_bytes; prints nothing

struct template_source {
  std::vector<std::string> problems;
  std::set<std::string> required; // first segments of the names used outside of any section
  std::string rewritten;          // empty when there are problems
  // Bytes of every section without what stands in inner sections, but with their tags: what one
  // more pass through it can cost.
  std::vector<std::size_t> section_bytes;
};

bool is_html(const part& p);
bool is_json(const part& p); // data
// Subject and title end up in a header or on a lock screen; image and link are addresses.
bool is_single_line(const part& p);

template_source read_template(const part& p);

} // namespace arauto
