// A message in FCM's form (HTTP v1, messages:send): one token, and for each platform behind
// Firebase how urgent it is, how long it lives and what it replaces. Pure.
#pragma once

#include <chrono>

#include "actors/channels/port.hpp"

namespace arauto::channels {

inline constexpr std::size_t fcm_bytes_max = 4'096; // of the message without its token

// bad_input: as read_push and fit_push; data_key_reserved for FCM's own keys; address_unusable: no
// token.
result<composed> compose_fcm(const message& what, std::chrono::system_clock::time_point now);

} // namespace arauto::channels
