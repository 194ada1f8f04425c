#include "storage/schema.hpp"

#include "storage/log.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

int schema_version() {
  int newest = 0;
  for (const auto& step : sql::migrations)
    newest = step.number > newest ? step.number : newest;
  return newest;
}

result<int> migrate(session& db) {
  const auto made = db.in_transaction(reach::owner(), [](session::transaction& t) -> int {
    t.run(sql::migration_begin);
    t.run_script(sql::migration_ledger.text);
    const int found = t.run(sql::migration_newest)[0][0].as<int>();
    if (found > schema_version()) return found;
    for (const auto& step : sql::migrations)
      if (step.number > found) {
        t.run_script(step.text);
        t.run(sql::migration_record, step.number, step.name);
        log::info("migration_run", {{"number", step.number}, {"name", step.name}});
      }
    t.run_script(sql::migration_close.text);
    return schema_version();
  });
  if (made && *made > schema_version())
    return failure{errc::schema_too_new,
                   "the database has schema " + std::to_string(*made) + ", this arauto knows up to "
                       + std::to_string(schema_version()) + ": start a newer arauto"};
  return made;
}

result<done> check_server(session& db) {
  const auto settings = db.in_transaction(
      reach::owner(), [](session::transaction& t) -> std::pair<std::string, std::string> {
        const auto row = t.run(sql::check_server)[0];
        return {row[0].c_str(), row[1].c_str()};
      });
  if (!settings) return settings.why();
  if (settings->first != "on")
    return failure{errc::unsafe_server, "the server runs with fsync off"};
  if (settings->second != "on")
    return failure{errc::unsafe_server, "the server runs with full_page_writes off"};
  return done{};
}

} // namespace arauto::storage
