#include "storage/model/uuid.hpp"

namespace arauto {

std::string uuid_v7(std::chrono::system_clock::time_point now,
                    const std::array<std::uint8_t, 10>& chance) {
  std::array<std::uint8_t, 16> bytes{};
  const auto ms = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count());
  for (int i = 0; i < 6; ++i)
    bytes[i] = static_cast<std::uint8_t>(ms >> (40 - 8 * i));
  for (std::size_t i = 0; i < chance.size(); ++i)
    bytes[6 + i] = chance[i];
  bytes[6] = static_cast<std::uint8_t>(0x70 | (bytes[6] & 0x0f)); // version 7
  bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3f)); // variant 10
  static constexpr char hex[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex[bytes[i] >> 4];
    text += hex[bytes[i] & 0x0f];
  }
  return text;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

} // namespace arauto
