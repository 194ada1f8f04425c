#include "storage/model/html_place.hpp"

#include <algorithm>
#include <array>

namespace arauto {

namespace {

// A longer name is no name HTML knows; the rest of it is not kept.
constexpr std::size_t name_bytes_max = 64;

constexpr std::array<std::string_view, 8> link_attributes{
    "action", "background", "data", "formaction", "href", "poster", "src", "xlink:href"};
constexpr std::array<std::string_view, 4> raw_elements{"script", "style", "textarea", "title"};
constexpr std::array<std::string_view, 3> link_schemes{"http", "https", "mailto"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

void append_bounded(std::string& name, char c) {
  if (name.size() < name_bytes_max) name += lowered(c);
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20;
}

// As a browser reads it: blanks and controls before a link are skipped, tabs and line ends
// anywhere in it; what is no scheme is a relative link.
bool has_safe_scheme(std::string_view link) {
  std::string scheme;
  for (const char c : link) {
    const bool skipped =
        c == '\t' || c == '\n' || c == '\r' || (scheme.empty() && (c == ' ' || is_control(c)));
    if (skipped) continue;
    if (c == ':') return scheme.empty() || is_one_of(scheme, link_schemes);
    const bool later = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!is_letter(c) && (scheme.empty() || !later)) return true;
    append_bounded(scheme, c);
  }
  return true;
}

} // namespace

void html_place::pass(char c) {
  switch (at_) {
  case spot::text:
    if (c == '<') go(spot::angle);
    return;
  case spot::raw: pass_in_raw(c); return;
  case spot::comment_start:
  case spot::comment_start_dash:
  case spot::comment:
  case spot::comment_dash:
  case spot::comment_dashes:
  case spot::comment_bang: pass_in_comment(c); return;
  case spot::angle:
  case spot::angle_slash:
  case spot::markup:
  case spot::markup_dash:
  case spot::declaration: pass_in_markup(c); return;
  default: pass_in_tag(c);
  }
}

// What follows "<" until it is known to be a tag, a comment or text after all.
void html_place::pass_in_markup(char c) {
  const bool after_angle = at_ == spot::angle;
  if (after_angle && c == '<') return;
  if (is_letter(c) && (after_angle || at_ == spot::angle_slash)) {
    closing_ = !after_angle;
    append_bounded(tag_, c);
    return go(spot::tag_name);
  }
  if (after_angle && c == '/') return go(spot::angle_slash);
  if (after_angle && c == '!') return go(spot::markup);
  if (after_angle && c != '?') return enter_text();
  if (c == '>') return enter_text();
  if (at_ == spot::markup && c == '-') return go(spot::markup_dash);
  if (at_ == spot::markup_dash && c == '-') return go(spot::comment_start);
  go(spot::declaration);
}

void html_place::pass_in_comment(char c) {
  const bool may_end = at_ != spot::comment && at_ != spot::comment_dash;
  if (c == '>' && may_end) return enter_text();
  if (c == '[' && at_ == spot::comment_start) return go(spot::declaration);
  if (c == '!' && at_ == spot::comment_dashes) return go(spot::comment_bang);
  if (c != '-') return go(spot::comment);
  if (at_ == spot::comment_start) return go(spot::comment_start_dash);
  const bool second = at_ != spot::comment && at_ != spot::comment_bang;
  go(second ? spot::comment_dashes : spot::comment_dash);
}

void html_place::pass_in_tag(char c) {
  if (at_ == spot::quoted_value) {
    if (c == ':' || c == '/' || c == '?' || c == '#') settled_ = true;
    if (c != quote_) return;
    attribute_.clear();
    quote_ = 0;
    settled_ = false;
    return go(spot::in_tag);
  }
  if (c == '>') return end_tag();
  if (at_ == spot::bare_value) {
    if (is_blank(c)) go(spot::in_tag);
    return;
  }
  if (at_ == spot::before_value) {
    if (is_blank(c)) return;
    const bool quoted = c == '"' || c == '\'';
    if (quoted) quote_ = c;
    return go(quoted ? spot::quoted_value : spot::bare_value);
  }
  if (c == '/') return go(spot::in_tag);
  if (at_ == spot::tag_name) {
    if (is_blank(c)) return go(spot::in_tag);
    return append_bounded(tag_, c);
  }
  const bool named = at_ == spot::attribute || at_ == spot::after_attribute;
  if (named && c == '=') return go(spot::before_value);
  if (is_blank(c)) return go(named ? spot::after_attribute : spot::in_tag);
  if (at_ == spot::attribute) return append_bounded(attribute_, c);
  begin_attribute(c);
}

void html_place::pass_in_raw(char c) {
  const auto end = "</" + tag_;
  if (end_tag_seen_ == end.size()) {
    end_tag_seen_ = 0;
    closing_ = true;
    if (c == '>') return end_tag();
    if (is_blank(c) || c == '/') return go(spot::in_tag);
    closing_ = false;
  }
  if (lowered(c) == end[end_tag_seen_])
    ++end_tag_seen_;
  else
    end_tag_seen_ = c == '<' ? 1 : 0;
}

void html_place::enter_text() {
  *this = html_place{};
}

void html_place::end_tag() {
  if (closing_ || !is_one_of(tag_, raw_elements)) return enter_text();
  attribute_.clear();
  go(spot::raw);
}

void html_place::begin_attribute(char c) {
  attribute_.clear();
  append_bounded(attribute_, c);
  go(spot::attribute);
}

std::string_view html_place::objection_to_value() const {
  switch (at_) {
  case spot::text: return {};
  case spot::raw:
    if (tag_ == "script" || tag_ == "style") return "no value can be made safe in this element";
    return end_tag_seen_ == 0 ? std::string_view{} : "a value cannot be part of a tag";
  case spot::quoted_value:
    if (attribute_ == "style" || attribute_ == "srcdoc" || attribute_.substr(0, 2) == "on")
      return "no value can be made safe in this attribute";
    return {};
  case spot::before_value:
  case spot::bare_value: return "an attribute with a value in it needs quotes";
  default: return "a value may stand in text or in a quoted attribute only";
  }
}

bool html_place::admits_section() const {
  return at_ != spot::before_value && at_ != spot::bare_value;
}

bool html_place::in_link() const {
  return at_ == spot::quoted_value && is_one_of(attribute_, link_attributes);
}

bool html_place::same_as(const html_place& other) const {
  return at_ == other.at_ && closing_ == other.closing_ && quote_ == other.quote_
         && tag_ == other.tag_ && attribute_ == other.attribute_
         && end_tag_seen_ == other.end_tag_seen_;
}

std::string html_escaped(std::string_view value) {
  std::string escaped;
  escaped.reserve(value.size());
  for (const char c : value) {
    switch (c) {
    case '&': escaped += "&amp;"; break;
    case '<': escaped += "&lt;"; break;
    case '>': escaped += "&gt;"; break;
    case '"': escaped += "&quot;"; break;
    case '\'': escaped += "&#39;"; break;
    default: escaped += is_control(c) && !is_blank(c) ? ' ' : c;
    }
  }
  return escaped;
}

std::string with_safe_links(std::string_view marked) {
  std::string html;
  html.reserve(marked.size());
  while (!marked.empty()) {
    const auto begin = std::min(marked.find(link_begins), marked.size());
    html += marked.substr(0, begin);
    if (begin == marked.size()) break;
    const auto end = std::min(marked.find(link_ends, begin), marked.size());
    std::string link{marked.substr(begin + 1, end - begin - 1)};
    const auto unmarked = std::remove(link.begin(), link.end(), value_in_scheme);
    const bool checked = unmarked != link.end();
    link.erase(unmarked, link.end());
    html += checked && !has_safe_scheme(link) ? "#" : link;
    marked.remove_prefix(std::min(end + 1, marked.size()));
  }
  return html;
}

} // namespace arauto
