// Who comes by the SQL door: database roles, each bound to one tenant (sql/api/README.md). Binding
// changes rights in the database, so these run as its owner.
#pragma once

#include <string>
#include <vector>

#include "storage/audit.hpp"
#include "storage/model/ids.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

struct door_view {
  std::string role;
  tenant_id tenant;
  bool wakes = true; // its commits wake the dispatcher
  std::string created_at;
  bool has_rights = true; // false: the role was dropped since, and perhaps made again
};

// not_found: no such role, or tenant; already_exists: bound to another tenant; bad_input: a role
// that the door could not hold. The failure's text says which.
result<done> bind_door(session& db, const door_view& wanted, const signature& by);
result<done> unbind_door(session& db, const std::string& role, const signature& by); // not_found
result<std::vector<door_view>> list_doors(session& db);

} // namespace arauto::storage
