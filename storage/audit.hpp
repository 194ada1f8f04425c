// Who changed what: one row for each change an operator made, in the transaction of the change, and
// never changed again. Kept as long as the database; see README, "Message data".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/session.hpp"

namespace arauto::storage {

// On whose behalf a change is made.
struct signature {
  std::string who;        // key:<prefix> of an operator's key, or cli:<account of the machine>
  std::string request_id; // of the HTTP request; empty elsewhere
};

// For the functions that change something: `object` holds ids and words, nothing personal.
void sign(session::transaction& t, const signature& by, const char* action, const tenant_id& tenant,
          const std::string& object);

struct audit_view {
  std::int64_t id = 0;
  std::string at, who, action, tenant, object, request_id;
};

// Newest first. An empty tenant: everybody's; `before` 0: from the newest.
result<std::vector<audit_view>> list_audit(session& db, const tenant_id& tenant,
                                           std::int64_t before, int rows_max);

} // namespace arauto::storage
