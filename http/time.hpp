// Times as clients write them (RFC 3339 with an offset) and as we keep them (UTC, microseconds).
// Pure: `now` is an argument.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace arauto::http {

using unix_time = std::chrono::microseconds; // since 1970-01-01T00:00:00Z

// Nothing for anything else than a full RFC 3339 date-time from 1970 to 9999. Digits past the
// microsecond are cut; a leap second is read as the second after it, and only where UTC can have
// one.
std::optional<unix_time> read_time(std::string_view written);

// 2026-03-01T08:15:00.000000Z: one spelling per instant, so that equal times look equal.
std::string written_time(unix_time when);

} // namespace arauto::http
