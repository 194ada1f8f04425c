// Bytes for tests that speak to the door by hand, and a door that loses patience soon.
#pragma once

#include <string>

#include "tests/support/running_service.hpp"

namespace arauto::tests {

inline const std::string get_health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
inline const std::string get_contract = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";

// The head of a POST; each of `fields` ends its own line.
inline std::string post_head(const std::string& fields) {
  return "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" + fields
         + "\r\n";
}

inline http_settings hasty() {
  auto door = quick_http();
  door.threads = 4;
  door.request_max = std::chrono::seconds{1};
  door.idle_max = std::chrono::seconds{2};
  return door;
}

} // namespace arauto::tests
