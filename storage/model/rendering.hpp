// Templates are mustache in a strict reading: a name nobody gave is an error, values are escaped for the place they go
// to (HTML parts as HTML, all others verbatim), one pass only, no partials, no raw {{{ or {{&, links with http, https or
// mailto only. A parsed template is cached nowhere: parsing is cheaper than being wrong about a cache.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/model/channel.hpp"
#include "storage/model/errc.hpp"
#include "storage/model/message.hpp"

namespace arauto {

struct part_problem {
  std::string part; // name of the part
  std::string what; // for people: "unclosed section at 12", "unknown part", "{{{ is not allowed"
};

struct template_check {
  std::vector<part_problem> problems;
  std::vector<std::string> required; // top-level variable names an event must bring; sorted, without repeats
};

// Which parts a channel knows: email: subject (needed), text, html (one of them needed); push: title (needed), body,
// data.
template_check check_template(channel via, const std::vector<part>& parts);

// `variables` is a JSON object as text; numbers appear exactly as written. bad_input with a stable word first:
// "missing_variable name", "not_renderable".
result<std::vector<part>> render(const std::vector<part>& parts, std::string_view variables);

} // namespace arauto
