#include "storage/audit.hpp"

#include <limits>

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

void sign(session::transaction& t, const signature& by, const char* action, const tenant_id& tenant,
          const std::string& object) {
  t.run(sql::audit_write, by.who, action, or_null(tenant.text), object, or_null(by.request_id));
}

result<std::vector<audit_view>> list_audit(session& db, const tenant_id& tenant,
                                           std::int64_t before, int rows_max) {
  if (before == 0) before = std::numeric_limits<std::int64_t>::max();
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    std::vector<audit_view> all;
    for (const auto& row : t.run(sql::audit_list, or_null(tenant.text), before, rows_max))
      all.push_back({row["id"].as<std::int64_t>(), text(row["at"]), text(row["who"]),
                     text(row["action"]), text(row["tenant_id"]), text(row["object"]),
                     text(row["request_id"])});
    return all;
  });
}

} // namespace arauto::storage
