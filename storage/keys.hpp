// API keys. One is shown once, when it is made; only SHA-256 of its secret is kept. At most two of
// a tenant live at once: enough to change them without a refused request.
#pragma once

#include <string>
#include <vector>

#include "storage/audit.hpp"
#include "storage/model/ids.hpp"
#include "storage/model/scope.hpp"
#include "storage/session.hpp"
#include "storage/tenants.hpp"

namespace arauto::storage {

struct api_key {
  std::string prefix; // public part, finds the row
  std::string digest; // SHA-256 of the secret, 64 hex digits
  tenant_id tenant;   // empty: an operator's key
  std::string status; // of the tenant: active or stopped
  scopes granted;     // of a tenant's key
  tenant_limits narrower;
};

struct key_wanted {
  tenant_id tenant; // empty: an operator's
  std::string prefix, digest;
  scopes granted; // none for an operator's
  std::string name;
  std::string expires_at; // RFC 3339; empty: never
};

// not_found: no such tenant; already_exists: two live already; bad_input: it would have ended.
result<done> create_key(session& db, const key_wanted& wanted, const signature& by);

// Those of the prefixes that are live keys (not revoked, not past their end). Prefixes are base62.
result<std::vector<api_key>> find_keys(session& db, const std::vector<std::string>& prefixes);

struct key_view {
  std::string prefix, tenant, name, scopes, state, created_at, expires_at, revoked_at, last_used_at;
};
result<std::vector<key_view>> list_keys(session& db, const tenant_id& tenant);        // not_found
result<done> revoke_key(session& db, const std::string& prefix, const signature& by); // not_found

// They opened a door lately.
result<done> keys_used(session& db, const std::vector<std::string>& prefixes);

} // namespace arauto::storage
