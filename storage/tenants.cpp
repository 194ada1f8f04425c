#include "storage/tenants.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

tenant_view read_tenant(const pqxx::row& row) {
  return {{text(row["id"])},       text(row["name"]),           text(row["status"]),
          text(row["created_at"]), text(row["sender_address"]), text(row["sender_name"])};
}

result<tenant_view> one(result<std::optional<tenant_view>>&& found, errc otherwise) {
  if (!found) return found.why();
  if (!*found) return otherwise;
  return std::move(**found);
}

// The names of what changes; of the status its value, which is our own word.
std::string words_of(const tenant_change& wanted) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : ",") + word; };
  if (wanted.name) add("name");
  if (wanted.status) add("status=" + *wanted.status);
  if (wanted.sender_address) add("sender_address");
  if (wanted.sender_name) add("sender_name");
  return words;
}

} // namespace

result<tenant_view> create_tenant(session& db, const tenant_view& wanted, const signature& by) {
  return one(db.in_transaction(reach::house(),
                               [&](session::transaction& t) -> std::optional<tenant_view> {
                                 if (t.run(sql::tenant_create, wanted.id.text, wanted.name,
                                           or_null(wanted.sender_address),
                                           or_null(wanted.sender_name))
                                         .empty())
                                   return std::nullopt;
                                 sign(t, by, "tenant.create", wanted.id, wanted.id.text);
                                 return read_tenant(t.run(sql::tenant_find, wanted.id.text)[0]);
                               }),
             errc::already_exists);
}

result<tenant_view> find_tenant(session& db, const tenant_id& id) {
  return one(db.in_transaction(reach::house(),
                               [&](session::transaction& t) -> std::optional<tenant_view> {
                                 const auto rows = t.run(sql::tenant_find, id.text);
                                 if (rows.empty()) return std::nullopt;
                                 return read_tenant(rows[0]);
                               }),
             errc::not_found);
}

result<std::vector<tenant_view>> list_tenants(session& db, const tenant_id& after, int rows_max) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    std::vector<tenant_view> all;
    for (const auto& row : t.run(sql::tenant_list, after.text, rows_max))
      all.push_back(read_tenant(row));
    return all;
  });
}

result<tenant_view> change_tenant(session& db, const tenant_id& id, const tenant_change& wanted,
                                  const signature& by) {
  return one(db.in_transaction(reach::house(),
                               [&](session::transaction& t) -> std::optional<tenant_view> {
                                 const auto rows =
                                     t.run(sql::tenant_change, id.text, wanted.name, wanted.status,
                                           wanted.sender_address, wanted.sender_name);
                                 if (rows.empty()) return std::nullopt;
                                 sign(t, by, "tenant.change", id, words_of(wanted));
                                 return read_tenant(rows[0]);
                               }),
             errc::not_found);
}

result<tenant_limits> find_limits(session& db, const tenant_id& id) {
  const auto found = db.in_transaction(
      reach::house(), [&](session::transaction& t) -> std::optional<tenant_limits> {
        const auto rows = t.run(sql::limits_find, id.text);
        if (rows.empty()) return std::nullopt;
        return read_limits(rows[0]);
      });
  if (!found) return found.why();
  if (!*found) return errc::not_found;
  return **found;
}

result<done> put_limits(session& db, const tenant_id& id, const tenant_limits& wanted,
                        const signature& by) {
  const auto known = db.in_transaction(reach::house(), [&](session::transaction& t) {
    if (t.run(sql::tenant_hold, id.text).empty()) return false;
    t.run(sql::limits_put, id.text, wanted.body_bytes_max, wanted.variables_bytes_max);
    sign(t, by, "limits.put", id, "");
    return true;
  });
  if (!known) return known.why();
  if (!*known) return errc::not_found;
  return done{};
}

} // namespace arauto::storage
