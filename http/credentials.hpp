// Who is asking. A key reads ar_live_<prefix>_<secret>; the database holds the prefix and SHA-256
// of the secret (256 bits of chance need no slow hash). What the database said is believed for at
// most `key_trust`, so a revoked key ends within that time. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/problem.hpp"
#include "http/settings.hpp"
#include "storage/model/ids.hpp"

namespace arauto::storage {
class pool;
struct api_key;
} // namespace arauto::storage

namespace arauto::http {

struct new_key {
  std::string prefix;     // public
  std::string digest;     // what is stored
  std::string whole_text; // shown once
};
new_key make_key();

struct key_parts {
  std::string prefix;
  std::string secret;
};

// From the value of an Authorization header; nothing unless it is `Bearer` and a key of our shape.
std::optional<key_parts> read_bearer(std::string_view header);

// In constant time.
bool same_digest(const std::string& ours, const std::string& theirs);

class credentials {
public:
  credentials(storage::pool& sessions, const http_settings& settings);

  // unauthorized, tenant_stopped, tenant_key_needed, unavailable; or the tenant.
  or_problem<tenant_id> tenant_of(std::optional<std::string_view> authorization);

private:
  using clock = std::chrono::steady_clock;

  struct memory {
    bool known = false; // false: the database said there is no such key
    std::string digest, status;
    tenant_id tenant;
    clock::time_point read_at;
    bool being_renewed = false;
  };

  std::optional<memory> remembered(const std::string& prefix);
  or_problem<memory> read_again(const std::string& prefix);
  void remember(const std::string& prefix, const memory& what);

  storage::pool& sessions_;
  const http_settings& settings_;
  std::mutex mutex_;
  std::unordered_map<std::string, memory> memories_;
};

} // namespace arauto::http
