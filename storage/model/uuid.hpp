// UUIDv7 (RFC 9562, 5.7): 48 bits of Unix milliseconds, then 74 random bits. Time and chance are
// arguments.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace arauto {

std::string uuid_v7(std::chrono::system_clock::time_point now,
                    const std::array<std::uint8_t, 10>& chance);

// The canonical form only: 36 characters, lower case hex, dashes in place. Anything else is not an
// id we gave out.
bool is_uuid(std::string_view text);

} // namespace arauto
