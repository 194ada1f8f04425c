// Where in an HTML document a template stands, so that a value can be escaped for that place or
// refused there. Used by rendering only.
//
// The walk follows the tokenizer of the HTML standard as far as tags, attributes, comments and
// <title>, <textarea>, <style> and <script> go. It reads the template, not the result: that is
// exact, because escaped values cannot leave their place and a section must end in the place it
// begins in, whether its text appears once, often or never. `<!--[if ...]>` is walked as HTML
// follows it, because some mail readers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace arauto {

class html_place {
public:
  void pass(char c); // one character of the template's own text

  // Why a value cannot stand here; empty when it can.
  std::string_view objection_to_value() const;

  // Not in or before an unquoted attribute value, whose end a section could move.
  bool admits_section() const;

  // In a quoted attribute that holds a link.
  bool in_link() const;

  // The template's own text has settled the link's scheme; what follows cannot change it.
  bool scheme_is_settled() const { return settled_; }

  bool in_text() const { return at_ == spot::text; }
  bool same_as(const html_place& other) const;

private:
  enum class spot : std::uint8_t {
    text,
    angle,       // <
    angle_slash, // </
    tag_name,
    in_tag, // between attributes
    attribute,
    after_attribute,
    before_value,
    quoted_value,
    bare_value,
    markup,      // <!
    markup_dash, // <!-
    declaration, // until >
    comment_start,
    comment_start_dash,
    comment,
    comment_dash,
    comment_dashes,
    comment_bang,
    raw, // in an element that only its own end tag ends
  };

  void pass_in_markup(char c);
  void pass_in_comment(char c);
  void pass_in_tag(char c);
  void pass_in_raw(char c);
  void go(spot where) { at_ = where; }
  void enter_text();
  void end_tag();
  void begin_attribute(char c);

  spot at_ = spot::text;
  bool closing_ = false;
  bool settled_ = false;
  char quote_ = 0;
  std::string tag_;
  std::string attribute_;
  std::size_t end_tag_seen_ = 0; // in raw: characters of "</tag" just passed
};

// & < > " and ' as character references; controls other than tab and line ends as blanks.
std::string html_escaped(std::string_view value);

// Marks that surround links in a rendered document; no text or value can contain them.
inline constexpr char link_begins = '\x02';
inline constexpr char link_ends = '\x03';
inline constexpr char value_in_scheme = '\x04'; // a value stands where it could set the scheme

// Takes the marks out again. A link whose scheme a value could set, and which then has another
// scheme than http, https or mailto, becomes "#".
std::string with_safe_links(std::string_view marked);

} // namespace arauto
