// Tenants and their API keys. A key is shown once, when it is made; only SHA-256 of its secret is
// kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/model/ids.hpp"
#include "storage/model/scope.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

struct tenant_view {
  tenant_id id;
  std::string name, status, created_at, sender_address, sender_name;
};

result<done> create_tenant(session& db, const tenant_view& wanted); // already_exists
result<std::vector<tenant_view>> list_tenants(session& db);

struct api_key {
  std::string prefix; // public part, finds the row
  std::string digest; // SHA-256 of the secret, 64 hex digits
  tenant_id tenant;   // empty: an operator's key
  std::string status; // of the tenant: active or stopped
  scopes granted;     // of a tenant's key
};

result<done> create_key(session& db, const tenant_id& tenant, const std::string& prefix,
                        const std::string& digest_hex);
// Those of the prefixes that are live keys (not revoked, not past their end). Prefixes are base62.
result<std::vector<api_key>> find_keys(session& db, const std::vector<std::string>& prefixes);
struct key_view {
  std::string prefix, created_at, revoked_at;
};
result<std::vector<key_view>> list_keys(session& db, const tenant_id& tenant);
result<done> revoke_key(session& db, const std::string& prefix); // not_found

} // namespace arauto::storage
