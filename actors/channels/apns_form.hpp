// A message in APNs' form: an alert with the tenant's data beside it, and the headers that say to
// which app, until when and what it replaces. Pure.
#pragma once

#include <chrono>
#include <string>

#include "actors/channels/port.hpp"

namespace arauto::channels {

inline constexpr std::size_t apns_bytes_max = 4'096; // of the payload

// The topic is the device's app, else `topic`. bad_input: as read_push and fit_push;
// data_key_reserved (aps), address_unusable, topic_missing, topic_unusable.
result<composed> compose_apns(const message& what, const std::string& topic,
                              std::chrono::system_clock::time_point now);

} // namespace arauto::channels
