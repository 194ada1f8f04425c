// Bytes as text (RFC 4648). Reading is strict: no blanks, no other alphabet, no leftover bits, so
// that one value has one spelling.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace arauto {

std::string base64(std::string_view bytes); // section 4, padded
std::optional<std::string> base64_bytes(std::string_view text);

std::string base64url(std::string_view bytes);                     // section 5, without padding
std::optional<std::string> base64url_bytes(std::string_view text); // padding may be there

} // namespace arauto
