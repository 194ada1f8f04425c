#include "storage/keys.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

result<done> create_key(session& db, const key_wanted& wanted, const signature& by) {
  const auto why_not =
      db.in_transaction(reach::house(), [&](session::transaction& t) -> std::optional<errc> {
        if (!wanted.tenant.text.empty()) {
          if (t.run(sql::tenant_hold, wanted.tenant.text).empty()) return errc::not_found;
          t.run(sql::keys_expire, wanted.tenant.text);
        }
        if (t.run(sql::key_create, or_null(wanted.tenant.text), wanted.prefix, wanted.digest,
                  to_string(wanted.granted), wanted.name, or_null(wanted.expires_at))
                .empty())
          return errc::already_exists;
        sign(t, by, "key.create", wanted.tenant, wanted.prefix);
        return std::nullopt;
      });
  if (!why_not) return why_not.why();
  if (*why_not) return **why_not;
  return done{};
}

result<std::vector<api_key>> find_keys(session& db, const std::vector<std::string>& prefixes) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    std::vector<api_key> found;
    for (const auto& row : t.run(sql::key_find, text_array(prefixes)))
      found.push_back({text(row["prefix"]),
                       text(row["digest"]),
                       {text(row["tenant_id"])},
                       text(row["status"]),
                       scopes_spelled(text(row["scopes"])).value_or(scopes{}),
                       read_limits(row)});
    return found;
  });
}

result<std::vector<key_view>> list_keys(session& db, const tenant_id& tenant) {
  auto found = db.in_transaction(
      reach::house(), [&](session::transaction& t) -> std::optional<std::vector<key_view>> {
        if (!tenant.text.empty() && t.run(sql::tenant_find, tenant.text).empty())
          return std::nullopt;
        std::vector<key_view> all;
        for (const auto& row : t.run(sql::key_list, or_null(tenant.text)))
          all.push_back({text(row["prefix"]), text(row["tenant_id"]), text(row["name"]),
                         text(row["scopes"]), text(row["state"]), text(row["created_at"]),
                         text(row["expires_at"]), text(row["revoked_at"]),
                         text(row["last_used_at"])});
        return all;
      });
  if (!found) return found.why();
  if (!*found) return errc::not_found;
  return std::move(**found);
}

result<done> revoke_key(session& db, const std::string& prefix, const signature& by) {
  const auto known = db.in_transaction(reach::house(), [&](session::transaction& t) {
    const auto rows = t.run(sql::key_revoke, prefix);
    if (rows.empty()) return false;
    if (rows[0]["ended"].as<bool>())
      sign(t, by, "key.revoke", {text(rows[0]["tenant_id"])}, prefix);
    return true;
  });
  if (!known) return known.why();
  if (!*known) return errc::not_found;
  return done{};
}

result<done> keys_used(session& db, const std::vector<std::string>& prefixes) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    t.run(sql::key_used, text_array(prefixes));
    return done{};
  });
}

} // namespace arauto::storage
