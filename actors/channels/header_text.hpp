// Values of mail headers: text and names in the forms of RFC 5322 and RFC 2047. What a reader
// decodes is exactly what was given, whatever it holds; the callers have refused control characters
// before.
#pragma once

#include <string>
#include <string_view>

namespace arauto::channels {

// A whole "Name: value" line of free text (Subject), folded, with its CRLF.
std::string text_line(std::string_view name, std::string_view value);

// A whole "Name: Display Name <address>" line, with its CRLF. An empty display name leaves the bare
// address.
std::string mailbox_line(std::string_view name, std::string_view display_name,
                         std::string_view address);

} // namespace arauto::channels
