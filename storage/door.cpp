#include "storage/door.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

std::optional<failure> objection(const pqxx::row& found, const door_view& wanted) {
  if (!found["role_known"].as<bool>())
    return failure{errc::not_found, "there is no database role " + wanted.role};
  if (!found["tenant_known"].as<bool>())
    return failure{errc::not_found, "there is no tenant " + wanted.tenant.text};
  if (found["mighty"].as<bool>())
    return failure{errc::bad_input, "it may do more than a door lets it: take a plain role"};
  const auto bound_to = text(found["bound_to"]);
  if (!bound_to.empty() && bound_to != wanted.tenant.text)
    return failure{errc::already_exists, "it is bound to " + bound_to + ": unbind it first"};
  return std::nullopt;
}

} // namespace

result<done> bind_door(session& db, const door_view& wanted, const signature& by) {
  const auto said = db.in_transaction(reach::owner(), [&](session::transaction& t) {
    auto no = objection(t.run(sql::door_judge, wanted.role, wanted.tenant.text)[0], wanted);
    if (no) return no;
    t.run(sql::door_bind, wanted.role, wanted.tenant.text, wanted.wakes);
    t.run(sql::door_open, wanted.role);
    sign(t, by, "door.bind", wanted.tenant, wanted.role + (wanted.wakes ? "" : " quiet"));
    return no;
  });
  if (!said) return said.why();
  if (*said) return **said;
  return done{};
}

result<done> unbind_door(session& db, const std::string& role, const signature& by) {
  const auto gone = db.in_transaction(reach::owner(), [&](session::transaction& t) {
    const auto rows = t.run(sql::door_unbind, role);
    if (!rows.empty()) sign(t, by, "door.unbind", {text(rows[0]["tenant_id"])}, role);
    return !rows.empty();
  });
  if (!gone) return gone.why();
  if (!*gone) return errc::not_found;
  return done{};
}

result<std::vector<door_view>> list_doors(session& db) {
  return db.in_transaction(reach::owner(), [&](session::transaction& t) {
    std::vector<door_view> all;
    for (const auto& row : t.run(sql::door_list))
      all.push_back({text(row["role"]),
                     {text(row["tenant_id"])},
                     row["wakes"].as<bool>(),
                     text(row["created_at"]),
                     row["rights"].as<bool>()});
    return all;
  });
}

} // namespace arauto::storage
