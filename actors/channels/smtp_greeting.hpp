// Whether somebody greets as a mail server where an account says.
#pragma once

#include <chrono>

#include "actors/channels/account.hpp"
#include "actors/channels/smtp_settings.hpp"

namespace arauto::channels {

// Blocks; waits at most `patience` for each address the host has. With implicit TLS it is enough
// that somebody listens. The words begin with host and port.
account_check greeted_by(const smtp_settings& account, std::chrono::milliseconds patience);

} // namespace arauto::channels
