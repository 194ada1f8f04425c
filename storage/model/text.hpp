// UTF-8 at the doors: what comes in is refused when broken, what providers say is mended before it
// is kept.
#pragma once

#include <string>
#include <string_view>

namespace arauto {

// RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF.
bool is_utf8(std::string_view text);

// Broken sequences become U+FFFD, NUL and other C0 controls except tab and newline become blanks;
// cut to at most `bytes_max` on a character boundary. The result is always valid UTF-8.
std::string mended_utf8(std::string_view raw, std::size_t bytes_max);

// True for CR, LF, NUL, any C0, DEL, C1, U+2028 or U+2029: what must never reach a header or an
// address.
bool has_control(std::string_view text);

} // namespace arauto
