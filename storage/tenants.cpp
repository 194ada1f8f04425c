#include "storage/tenants.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

result<done> create_tenant(session& db, const tenant_view& wanted) {
  const auto made = db.in_transaction(reach::house(), [&](session::transaction& t) {
    return !t.run(sql::tenant_create, wanted.id.text, wanted.name, or_null(wanted.sender_address),
                  or_null(wanted.sender_name))
                .empty();
  });
  if (!made) return made.why();
  if (!*made) return errc::already_exists;
  return done{};
}

result<std::vector<tenant_view>> list_tenants(session& db) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    std::vector<tenant_view> all;
    for (const auto& row : t.run(sql::tenant_list))
      all.push_back({{text(row["id"])},
                     text(row["name"]),
                     text(row["status"]),
                     text(row["created_at"]),
                     text(row["sender_address"]),
                     text(row["sender_name"])});
    return all;
  });
}

result<done> create_key(session& db, const tenant_id& tenant, const std::string& prefix,
                        const std::string& digest_hex) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    t.run(sql::key_create, or_null(tenant.text), prefix, digest_hex);
    return done{};
  });
}

result<std::vector<api_key>> find_keys(session& db, const std::vector<std::string>& prefixes) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    std::vector<api_key> found;
    for (const auto& row : t.run(sql::key_find, text_array(prefixes)))
      found.push_back({text(row["prefix"]),
                       text(row["digest"]),
                       {text(row["tenant_id"])},
                       text(row["status"]),
                       scopes_spelled(text(row["scopes"])).value_or(scopes{})});
    return found;
  });
}

result<std::vector<key_view>> list_keys(session& db, const tenant_id& tenant) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    std::vector<key_view> all;
    for (const auto& row : t.run(sql::key_list, or_null(tenant.text)))
      all.push_back({text(row["prefix"]), text(row["created_at"]), text(row["revoked_at"])});
    return all;
  });
}

result<done> revoke_key(session& db, const std::string& prefix) {
  const auto revoked = db.in_transaction(reach::house(), [&](session::transaction& t) {
    return !t.run(sql::key_revoke, prefix).empty();
  });
  if (!revoked) return revoked.why();
  if (!*revoked) return errc::not_found;
  return done{};
}

} // namespace arauto::storage
