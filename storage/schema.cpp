#include "storage/schema.hpp"

#include "storage/log.hpp"
#include "storage/model/chance.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

// The parts of the public interface, with the one text that accepts in its place: there is no other
// copy of it.
std::vector<std::string> api_texts() {
  constexpr std::string_view place = "@accept@";
  std::vector<std::string> texts;
  for (const auto& part : sql::api) {
    std::string text = part.text;
    if (const auto at = text.find(place); at != std::string::npos)
      text.replace(at, place.size(), sql::accept.text);
    texts.push_back(std::move(text));
  }
  return texts;
}

// Functions and views are made anew when their text, or something under them, has changed. Nothing
// is dropped, so that nobody who calls them meets a gap and rights stay.
void make_api(session::transaction& t, bool schema_changed) {
  std::string all;
  const auto texts = api_texts();
  for (const auto& text : texts)
    all += text;
  const auto digest = sha256_hex(all);
  const auto made_from = t.run(sql::api_digest);
  if (!schema_changed && !made_from.empty() && digest == made_from[0][0].c_str()) return;
  for (const auto& text : texts)
    t.run_script(text.c_str());
  t.run(sql::api_record, digest);
  log::info("api_made", {{"digest", digest.substr(0, 16)}});
}

} // namespace

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
    make_api(t, found < schema_version());
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
  const auto objection =
      db.in_transaction(reach::owner(), [](session::transaction& t) -> std::string {
        const auto row = t.run_script(sql::check_server.text)[0]; // a pooler mixes prepared ones up
        if (row["process"].as<int>() != t.announced_process())
          return "a pooler stands before PostgreSQL; the service needs a direct connection "
                 "(applications may call arauto.notify through one)";
        for (const auto* setting : {"fsync", "full_page_writes"})
          if (row[setting].c_str() != std::string{"on"})
            return std::string{"the server runs with "} + setting + " off";
        return {};
      });
  if (!objection) return objection.why();
  if (!objection->empty()) return failure{errc::unsafe_server, *objection};
  return done{};
}

} // namespace arauto::storage
