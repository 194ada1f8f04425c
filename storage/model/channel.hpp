// The ways a person can be told. One spelling in C++, SQL and JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace arauto {

enum class channel : std::uint8_t { email, push };

inline constexpr channel all_channels[] = {channel::email, channel::push};

constexpr std::string_view spelled(channel via) {
  return via == channel::email ? "email" : "push";
}

inline std::string to_string(channel via) {
  return std::string{spelled(via)};
}

constexpr std::optional<channel> channel_spelled(std::string_view word) {
  for (auto via : all_channels)
    if (spelled(via) == word) return via;
  return std::nullopt;
}

// Urgent work passes the tenant's own normal backlog; it has no claim on another tenant's share.
enum class priority : std::uint8_t { urgent, normal };

constexpr std::string_view spelled(priority p) {
  return p == priority::urgent ? "urgent" : "normal";
}

inline std::string to_string(priority p) {
  return std::string{spelled(p)};
}

constexpr std::optional<priority> priority_spelled(std::string_view word) {
  if (word == "urgent") return priority::urgent;
  if (word == "normal") return priority::normal;
  return std::nullopt;
}

} // namespace arauto
