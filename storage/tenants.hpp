// Tenants, as operators see them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/audit.hpp"
#include "storage/model/ids.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

struct tenant_view {
  tenant_id id;
  std::string name, status, created_at, sender_address, sender_name;
};

// What is not said stays; an empty sender is taken away.
struct tenant_change {
  std::optional<std::string> name, status, sender_address, sender_name;
};

// What is narrower for one tenant than for the house; what is not said is as the house says.
struct tenant_limits {
  std::optional<int> body_bytes_max, variables_bytes_max;
};

result<tenant_view> create_tenant(session& db, const tenant_view& wanted,
                                  const signature& by); // already_exists
result<tenant_view> find_tenant(session& db, const tenant_id& id);
// By id, after one.
result<std::vector<tenant_view>> list_tenants(session& db, const tenant_id& after, int rows_max);
result<tenant_view> change_tenant(session& db, const tenant_id& id, const tenant_change& wanted,
                                  const signature& by); // not_found

result<tenant_limits> find_limits(session& db, const tenant_id& id); // not_found
result<done> put_limits(session& db, const tenant_id& id, const tenant_limits& wanted,
                        const signature& by); // not_found

} // namespace arauto::storage
