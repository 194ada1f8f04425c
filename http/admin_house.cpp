#include "http/admin_house.hpp"

#include "http/admin.hpp"
#include "http/members.hpp"
#include "storage/nodes.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {
using json = nlohmann::ordered_json;
constexpr std::chrono::seconds silence_of_the_dead{10}; // design 5: dead after 10 s

json told_deed(const storage::audit_view& one) {
  json deed = {{"at", one.at}, {"who", one.who}, {"action", one.action}};
  set_unless_empty(deed, "tenant", one.tenant);
  set_unless_empty(deed, "object", one.object);
  set_unless_empty(deed, "request_id", one.request_id);
  return deed;
}

} // namespace

or_problem<answer> list_nodes(const request&, const means& with) {
  const auto found = with.sessions.with(
      [](storage::session& db) { return storage::list_nodes(db, silence_of_the_dead); },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  json what = {{"data", json::array()}};
  for (const auto& one : *found) {
    json node = {{"id", one.id.text}};
    set_unless_empty(node, "address", one.address);
    node["alive"] = one.alive;
    node["heartbeat_at"] = one.heartbeat_at;
    what["data"].push_back(std::move(node));
  }
  return told_json(what);
}

or_problem<answer> list_audit(const request& asked, const means& with) {
  const auto read = read_admin_page(asked, {"tenant"});
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  const auto& page = std::get<admin_page>(read);
  std::int64_t before = 0;
  if (const auto cursor = page.value("cursor"); !cursor.empty()) {
    before = read_number<std::int64_t>(cursor, 10).value_or(0);
    if (before < 1) return wrong_parameter("cursor", foreign_cursor);
  }
  const auto found = with.sessions.with(
      [&](storage::session& db) {
        return storage::list_audit(db, {page.value("tenant")}, before, page.rows + 1);
      },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  return told_page(*found, page, told_deed,
                   [](const storage::audit_view& last) { return std::to_string(last.id); });
}

} // namespace arauto::http
