#include "storage/schema.hpp"

#include <algorithm>
#include <set>

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

// Steps may have been numbered on two branches: each that is missing is run, whatever is newest.
std::set<int> steps_run(session::transaction& t) {
  std::set<int> numbers;
  for (const auto& row : t.run(sql::migrations_run))
    numbers.insert(row[0].as<int>());
  return numbers;
}

bool is_newer_than_we_are(const std::set<int>& run) {
  return !run.empty() && *run.rbegin() > schema_version();
}

bool all_run(const std::set<int>& run) {
  return std::all_of(std::begin(sql::migrations), std::end(sql::migrations),
                     [&](const migration& step) { return run.count(step.number) > 0; });
}

// The version that is there afterwards: ours, or a newer one that was found and left alone.
int make_schema(session::transaction& t) {
  t.run(sql::migration_begin);
  t.run_script(sql::migration_ledger.text);
  const auto before = steps_run(t);
  if (is_newer_than_we_are(before)) return *before.rbegin();
  for (const auto& step : sql::migrations)
    if (before.count(step.number) == 0) {
      t.run_script(step.text);
      t.run(sql::migration_record, step.number, step.name);
      log::info("migration_run", {{"number", step.number}, {"name", step.name}});
    }
  if (!all_run(before) || !api_stands(t)) make_api(t);
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
    const auto run = steps_run(t);
    if (is_newer_than_we_are(run)) return *run.rbegin();
    return all_run(run) && api_stands(t) ? schema_version() : 0;
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
