#include "tests/support/source_text.hpp"

#include <algorithm>
#include <cctype>

namespace arauto::tests {

namespace {

bool part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t end_of_quoted(const std::string& text, std::size_t at) {
  const auto quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

} // namespace

source_text::source_text(const std::string& text) {
  bool joined = false; // nothing but blanks and comments since the last literal
  for (std::size_t at = 0; at < text.size();) {
    const auto next = text.compare(at, 2, "//") == 0   ? text.find('\n', at)
                      : text.compare(at, 2, "/*") == 0 ? text.find("*/", at + 2)
                                                       : at;
    if (next != at) {
      code += ' ';
      at = next == std::string::npos ? text.size() : next + (text[next] == '*' ? 2 : 0);
      continue;
    }
    const bool after_word = at > 0 && part_of_word(text[at - 1]);
    if (text.compare(at, 2, "R\"") == 0 && !after_word) {
      const auto open = text.find('(', at);
      const auto close = ")" + text.substr(at + 2, open - at - 2) + "\"";
      const auto end = std::min(text.find(close, open), text.size());
      literals.push_back(text.substr(open + 1, end - open - 1));
      code += "\"\"";
      at = std::min(end + close.size(), text.size());
      joined = true;
    } else if (text[at] == '"') {
      const auto end = end_of_quoted(text, at);
      const auto inner = text.substr(at + 1, end - at - 2);
      if (joined)
        literals.back() += inner;
      else
        literals.push_back(inner);
      code += "\"\"";
      at = end;
      joined = true;
    } else if (text[at] == '\'' && !after_word) { // after a word it parts digits
      at = end_of_quoted(text, at);
      code += "''";
      joined = false;
    } else {
      if (std::isspace(static_cast<unsigned char>(text[at])) == 0) joined = false;
      code += text[at++];
    }
  }
}

} // namespace arauto::tests
