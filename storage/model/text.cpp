#include "storage/model/text.hpp"

#include <cstdint>

namespace arauto {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD

struct sequence {
  std::size_t length = 1; // bytes that belong together, also when they are broken
  bool whole = false;
};

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// What a first byte announces: how many bytes follow, and the bounds of the first of them. The
// bounds are where overlong forms, surrogates and values past U+10FFFF are refused (RFC 3629, 4).
struct announced {
  std::size_t follow;
  std::uint8_t least;
  std::uint8_t most;
};

announced announced_by(std::uint8_t first) {
  if (first >= 0xC2 && first <= 0xDF) return {1, 0x80, 0xBF};
  if (first == 0xE0) return {2, 0xA0, 0xBF};
  if (first == 0xED) return {2, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {2, 0x80, 0xBF};
  if (first == 0xF0) return {3, 0x90, 0xBF};
  if (first >= 0xF1 && first <= 0xF3) return {3, 0x80, 0xBF};
  if (first == 0xF4) return {3, 0x80, 0x8F};
  return {0, 0, 0};
}

// A broken sequence ends before the first byte that cannot belong to it, so that this byte is read
// again as the beginning of the next one and nothing readable is swallowed.
sequence sequence_at(std::string_view text, std::size_t at) {
  const auto first = byte_at(text, at);
  if (first < 0x80) return {1, true};
  const auto rule = announced_by(first);
  if (rule.follow == 0) return {1, false};
  auto least = rule.least;
  auto most = rule.most;
  for (std::size_t i = 1; i <= rule.follow; ++i) {
    if (at + i >= text.size()) return {i, false};
    const auto next = byte_at(text, at + i);
    if (next < least || next > most) return {i, false};
    least = 0x80;
    most = 0xBF;
  }
  return {rule.follow + 1, true};
}

bool is_c0(std::uint8_t byte) {
  return byte < 0x20;
}

} // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto found = sequence_at(text, at);
    if (!found.whole) return false;
    at += found.length;
  }
  return true;
}

std::string mended_utf8(std::string_view raw, std::size_t bytes_max) {
  std::string mended;
  for (std::size_t at = 0; at < raw.size();) {
    const auto found = sequence_at(raw, at);
    auto piece = found.whole ? raw.substr(at, found.length) : replacement;
    const bool blank = is_c0(byte_at(raw, at)) && raw[at] != '\t' && raw[at] != '\n';
    if (blank) piece = " ";
    if (piece.size() > bytes_max - mended.size()) break;
    mended += piece;
    at += found.length;
  }
  return mended;
}

bool has_control(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = byte_at(text, at);
    if (is_c0(byte) || byte == 0x7F) return true;
    if (byte == 0xC2 && at + 1 < text.size()) { // U+0080 to U+009F
      const auto next = byte_at(text, at + 1);
      if (next >= 0x80 && next <= 0x9F) return true;
    }
    const auto three = text.substr(at, 3);
    if (three == "\xE2\x80\xA8" || three == "\xE2\x80\xA9") return true; // U+2028, U+2029
  }
  return false;
}

} // namespace arauto
