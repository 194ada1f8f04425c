// The port to a mail server: a pool of SMTP connections on one I/O thread. A message goes to a
// connection that is idle and up, without a round trip more than it needs; else to a new one while
// there are fewer than connections_max; else it waits for its turn. Answers come on the I/O thread
// and must not stop or destroy the port.
#pragma once

#include <memory>

#include "actors/channels/mime.hpp"
#include "actors/channels/port.hpp"
#include "actors/channels/smtp_settings.hpp"

namespace arauto::channels {

// Does not connect. bad_input: host, helo_name, connections_max, ca_file, address_unusable,
// header_unsafe.
result<std::unique_ptr<port>> make_smtp_port(const smtp_settings& settings, wall_clock now);

} // namespace arauto::channels
