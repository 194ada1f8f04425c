#include "storage/retention.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

result<int> retire(session& db, int days, int rows_max) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    t.run(sql::devices_forget, days, rows_max);
    std::string ids;
    for (const auto& row : t.run(sql::retire_hold, days, rows_max))
      ids += (ids.empty() ? "" : ",") + text(row[0]);
    if (ids.empty()) return 0;
    return static_cast<int>(t.run(sql::retire, "{" + ids + "}").size());
  });
}

} // namespace arauto::storage
