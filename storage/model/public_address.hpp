// Which addresses of the internet are everybody's: those that are not belong to this machine, to a
// network of ours, or to nobody, and a stranger's endpoint must not lead there (S35). Pure.
#pragma once

struct sockaddr;

namespace arauto {

bool is_public_address(const sockaddr& address);

} // namespace arauto
