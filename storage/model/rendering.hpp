// Templates are mustache in a strict reading: a name nobody gave is an error, values are escaped
// for the place they go to (HTML parts as HTML, all others verbatim), one pass only, no partials,
// no raw {{{ or {{&, no other delimiters. A parsed template is cached nowhere: parsing is cheaper
// than being wrong about a cache.
//
// Only false, null and an empty list are "no" for a section; 0 and "" are "yes". null prints as
// nothing. A dotted name is looked up in the innermost section that knows its first segment.
//
// HTML parts are walked once (html_place.hpp). A value may stand in text, in <title> and
// <textarea> and in quoted attributes other than style, srcdoc and on...; elsewhere (in comments
// too, which a value could end) the template is refused. In an attribute that holds a link (href,
// src, action and their kin), when the template's own text before the value has not settled the
// scheme, the whole rendered attribute is looked at: with a scheme other than http, https or mailto
// it becomes "#". So href="{{url}}" is limited, href="tel:{{phone}}" is the template author's own
// word.
//
// A push's data is JSON: values are escaped as the inside of a string there, so that "{{name}}" is
// one string whatever the name. Whether the whole is an object is judged when it is sent.
//
// The rendered subject, title, image and link are one line: controls in values become blanks.
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
  // Top-level variable names an event must bring: those used outside of any section, names of
  // sections too (they may be null or false, but must be there); sorted, without repeats.
  std::vector<std::string> required;
};

// Which parts a channel knows: email: subject (needed), text, html (one of them needed); push:
// title (needed), body, image, link, data. A part is at most 256 KiB, sections at most 16 deep.
template_check check_template(channel via, const std::vector<part>& parts);

// `variables` is a JSON object as text; numbers appear exactly as written. bad_input with a stable
// word first: "missing_variable NAME", or "not_renderable" with NAME (an object or a list printed),
// "too_large" (more than 2 MiB from values and sections in one part), "variables" (no JSON object,
// or too deep) or "template" (check_template would refuse it).
result<std::vector<part>> render(const std::vector<part>& parts, std::string_view variables);

} // namespace arauto
