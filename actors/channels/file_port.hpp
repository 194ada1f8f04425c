// Ports for development: a mail "sent" is a file anybody can open in a mail program, a push is what
// a device would show, as JSON. Writing is synchronous on the caller's thread; a delivery sent
// again replaces its own file, as a provider that knows identities would.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "actors/channels/mime.hpp"

namespace arauto::channels {

struct file_settings {
  std::string directory; // made when absent
  std::string sender_address;
  std::string sender_name;
  std::string message_id_domain; // empty: the sender's
};

// bad_input: address_unusable, header_unsafe, directory_unusable.
result<std::unique_ptr<port>> make_file_port(const file_settings& settings, wall_clock now);

// For any push provider: one file a delivery and device. bad_input: directory_unusable.
result<std::unique_ptr<port>> make_push_file_port(const std::string& directory);

} // namespace arauto::channels
