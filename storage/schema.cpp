#include "storage/schema.hpp"

#include "storage/log.hpp"
#include "storage/model/chance.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

constexpr auto insufficient_privilege = "42501";

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

std::string api_digest() {
  std::string all;
  for (const auto& text : api_texts())
    all += text;
  return sha256_hex(all);
}

// Functions and views are made anew when their text, or something under them, has changed. Nothing
// is dropped, so that nobody who calls them meets a gap and rights stay.
bool api_stands(session::transaction& t) {
  const auto made_from = t.run(sql::api_digest);
  return !made_from.empty() && api_digest() == made_from[0][0].c_str();
}

void make_api(session::transaction& t) {
  for (const auto& text : api_texts())
    t.run_script(text.c_str());
  const auto digest = api_digest();
  t.run(sql::api_record, digest);
  log::info("api_made", {{"digest", digest.substr(0, 16)}});
}

// The version that was found; what is older than ours is made as new as we are.
int make_schema(session::transaction& t) {
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
  if (found < schema_version() || !api_stands(t)) make_api(t);
  t.run_script(sql::migration_close.text);
  return schema_version();
}

// Who serves need not own the tables: where nothing is to be made, the right to make it is not
// needed. The version that stands, or 0 when there is something to do.
result<int> version_that_stands(session& db) {
  const auto known = db.in_transaction(reach::owner(), [](session::transaction& t) {
    return t.run(sql::schema_known)[0][0].as<bool>();
  });
  if (!known) return known.why();
  if (!*known) return 0;
  return db.in_transaction(reach::house(), [](session::transaction& t) -> int {
    const int found = t.run(sql::migration_newest)[0][0].as<int>();
    return found == schema_version() && !api_stands(t) ? 0 : found;
  });
}

} // namespace

int schema_version() {
  int newest = 0;
  for (const auto& step : sql::migrations)
    newest = step.number > newest ? step.number : newest;
  return newest;
}

result<int> migrate(session& db) {
  auto made = version_that_stands(db);
  if (!made && made.why().text == insufficient_privilege) made = 0; // from before the roles
  if (made && *made < schema_version()) made = db.in_transaction(reach::owner(), make_schema);
  if (made && *made > schema_version())
    return failure{errc::schema_too_new,
                   "the database has schema " + std::to_string(*made) + ", this arauto knows up to "
                       + std::to_string(schema_version()) + ": start a newer arauto"};
  if (made.why().text == insufficient_privilege)
    return failure{errc::internal, "this login may not change the schema: run `arauto migrate` as "
                                   "its owner, and make the login a member of arauto_tenant, "
                                   "arauto_worker and arauto_steward"};
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
