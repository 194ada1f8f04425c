#include "storage/model/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace arauto {

namespace {

constexpr std::string_view plain_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string written(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<std::uint8_t>(c);
    for (held += 8; held >= 6; held -= 6)
      text += alphabet[bits >> (held - 6) & 0x3F];
  }
  if (held > 0) text += alphabet[bits << (6 - held) & 0x3F];
  return text;
}

int digit(char c, std::string_view alphabet) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == alphabet[62]) return 62;
  return c == alphabet[63] ? 63 : -1;
}

// `text` is without padding.
std::optional<std::string> read(std::string_view text, std::string_view alphabet) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const auto value = digit(c, alphabet);
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
  if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return bytes;
}

std::string_view without_padding(std::string_view text) {
  for (int n = 0; n < 2 && text.size() > 1 && text.back() == '='; ++n)
    text.remove_suffix(1);
  return text;
}

} // namespace

std::string base64(std::string_view bytes) {
  auto text = written(bytes, plain_alphabet);
  while (text.size() % 4 != 0)
    text += '=';
  return text;
}

std::optional<std::string> base64_bytes(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  return read(without_padding(text), plain_alphabet);
}

std::string base64url(std::string_view bytes) {
  return written(bytes, url_alphabet);
}

std::optional<std::string> base64url_bytes(std::string_view text) {
  const auto bare = without_padding(text);
  if (bare.size() != text.size() && text.size() % 4 != 0) return std::nullopt;
  return read(bare, url_alphabet);
}

} // namespace arauto
