// Where a browser says that its pushes go: an address chosen by a stranger, judged by its text when
// it is registered and again when it is used. A name may still lead anywhere; that is judged on the
// address that is dialled (http_client, S35). Pure.
#pragma once

#include <string_view>

namespace arauto {

inline constexpr std::size_t endpoint_bytes_max = 2'048;

// Why it cannot be used, for people; empty: it can. With `private_allowed` (test benches) http, any
// port and any host will do.
std::string_view endpoint_objection(std::string_view url, bool private_allowed);

} // namespace arauto
