#include "actors/channels/header_text.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <glib.h>

namespace arauto::channels {

namespace {

// Longer plain text is encoded, because encoded words can be folded anywhere: RFC 5322 2.1.1 allows
// 998 bytes in a line.
constexpr std::size_t plain_text_bytes_max = 900;
constexpr std::size_t plain_name_bytes_max = 200;
// "Subject: =?UTF-8?B?" + base64 of 39 bytes + "?=" stays within the 76 columns of RFC 2047 2.
constexpr std::size_t word_bytes_max = 39;
constexpr std::size_t line_bytes_wanted = 76;

using text_ptr = std::unique_ptr<char, decltype(&g_free)>;

bool is_printable_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// True when the text may stand as it is: a reader would decode "=?" and may drop outer blanks.
bool reads_as_itself(std::string_view text) {
  return is_printable_ascii(text) && text.find("=?") == text.npos
         && (text.empty() || (text.front() != ' ' && text.back() != ' '));
}

// The end of the longest piece of at most `bytes_max` that cuts no character in two.
std::size_t piece_end(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text.size();
  auto end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return end > 0 ? end : bytes_max;
}

// GMime mixes encoded and plain words, and readers differ in the blanks between them; the whole
// value in base64 leaves nothing to differ about.
std::string encoded_words(std::string_view text) {
  std::string words;
  while (!text.empty()) {
    const auto end = piece_end(text, word_bytes_max);
    const text_ptr base64{g_base64_encode(reinterpret_cast<const guchar*>(text.data()), end),
                          &g_free};
    if (!words.empty()) words += "\r\n ";
    words.append("=?UTF-8?B?").append(base64.get()).append("?=");
    text.remove_prefix(end);
  }
  return words;
}

std::string quoted_name(std::string_view name) {
  std::string quoted{'"'};
  for (const auto c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted += '"';
}

// Line breaks go before blanks, so a reader that unfolds gets every blank back. A word longer than
// a line stays whole.
std::string folded(std::string line, std::size_t first_word) {
  std::size_t start = 0;
  for (auto blank = line.find(' ', first_word); blank != line.npos;) {
    const auto next = std::min(line.find(' ', blank + 1), line.size());
    if (next - start > line_bytes_wanted) {
      line.insert(blank, "\r\n");
      start = blank + 2;
      blank = start;
    }
    blank = line.find(' ', blank + 1);
  }
  return line;
}

} // namespace

std::string text_line(std::string_view name, std::string_view value) {
  auto line = std::string{name}.append(": ");
  const auto first_word = line.size();
  const auto fits = first_word + value.size() <= line_bytes_wanted;
  // A fold within a run of blanks could leave a line of nothing but blanks.
  const auto folds = value.size() <= plain_text_bytes_max && value.find("  ") == value.npos;
  if (!reads_as_itself(value) || !(fits || folds))
    return line.append(encoded_words(value)).append("\r\n");
  return folded(line.append(value), first_word).append("\r\n");
}

std::string mailbox_line(std::string_view name, std::string_view display_name,
                         std::string_view address) {
  auto line = std::string{name}.append(": ");
  if (display_name.empty()) return line.append(address).append("\r\n");
  const auto plain = reads_as_itself(display_name) && display_name.size() <= plain_name_bytes_max;
  const auto words = plain ? quoted_name(display_name) : encoded_words(display_name);
  const auto fits = line.size() + words.size() + address.size() + 3 <= line_bytes_wanted;
  line.append(words).append(fits ? " <" : "\r\n <");
  return line.append(address).append(">\r\n");
}

} // namespace arauto::channels
