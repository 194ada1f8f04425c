#include "storage/usage.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

result<usage> usage_of(session& db, const tenant_id& tenant) {
  return db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    usage used;
    for (const auto& row : t.run(sql::usage_backlog, tenant.text, backlog_counted_max))
      used.waiting.push_back(
          {via_of(row["channel"]), static_cast<priority>(row["priority"].as<int>()),
           row["due"].as<std::int64_t>(), row["later"].as<std::int64_t>(),
           row["held"].as<std::int64_t>(), text(row["oldest_due_at"]), row["lag_s"].as<double>()});
    const auto today = t.run(sql::usage_today, tenant.text, today_counted_max)[0];
    used.since = text(today["since"]);
    used.notifications = today["notifications"].as<std::int64_t>();
    used.dead_letters = today["dead_letters"].as<std::int64_t>();
    return used;
  });
}

} // namespace arauto::storage
