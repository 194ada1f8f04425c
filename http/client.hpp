// The API as our own commands ask it: one question at a time, every time bounded. Not for providers
// (actors/channels).
#pragma once

#include <string>

#include "storage/model/errc.hpp"

namespace arauto::http {

struct client_settings {
  std::string url; // http://127.0.0.1:8080
  std::string key; // ar_live_..., may be empty where none is asked
};

struct client_answer {
  int status = 0;
  bool replayed = false; // Idempotent-Replayed: true
  std::string body;
};

// `path` begins with / and is already percent-encoded. unavailable: nobody answered in time.
result<client_answer> post(const client_settings& to, const std::string& path,
                           const std::string& json);
result<client_answer> get(const client_settings& from, const std::string& path);

} // namespace arauto::http
