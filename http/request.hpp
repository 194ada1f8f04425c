// What a resource is given and what it gives back. Neither knows sockets nor the listener.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/problem.hpp"
#include "http/settings.hpp"
#include "storage/model/ids.hpp"
#include "storage/model/scope.hpp"
#include "storage/tenants.hpp"

namespace prometheus {
class Registry;
}

namespace arauto {
class office;
namespace storage {
class pool;
class seal_ring;
} // namespace storage
} // namespace arauto

namespace arauto::http {

// Who shows a key that is good.
struct asker {
  tenant_id tenant; // empty: an operator
  scopes granted;   // none for an operator
  std::string key;  // the public prefix
  storage::tenant_limits narrower;
};

struct request {
  std::string id;         // of the request: UUIDv7
  std::string_view query; // raw
  std::optional<std::string_view> idempotency_key;
  std::string_view body;
  std::vector<std::string> names; // the variable parts of the path, decoded, in order
  tenant_id tenant; // from the key, never from the body; empty where no tenant's key is asked
  std::string key;  // its public prefix
  storage::tenant_limits narrower; // of that tenant
};

struct answer {
  int status = 200;
  std::string body;
  std::string_view content_type = "application/json";
  std::vector<std::pair<std::string_view, std::string>> headers;
};

// The house's limit, or the tenant's own where that is narrower.
inline std::size_t narrowed(std::size_t of_house, const std::optional<int>& of_tenant) {
  return of_tenant ? std::min(of_house, static_cast<std::size_t>(*of_tenant)) : of_house;
}

// What resources work with.
struct means {
  const http_settings& settings;
  storage::pool& sessions;
  office& staff;
  prometheus::Registry& metrics;
  const storage::seal_ring& seals; // of accounts' secrets
};

// The house's limits as they are for whoever asks.
inline http_settings limits_for(const request& asked, const means& with) {
  auto limits = with.settings;
  limits.body_bytes_max = narrowed(limits.body_bytes_max, asked.narrower.body_bytes_max);
  limits.variables_bytes_max =
      narrowed(limits.variables_bytes_max, asked.narrower.variables_bytes_max);
  return limits;
}

} // namespace arauto::http
