#include "storage/accounts.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

account_place read_place(const pqxx::row& row) {
  return {text(row["id"]),
          {text(row["tenant_id"])},
          {provider_spelled(row["provider"].c_str()).value(), text(row["app"])},
          row["version"].as<std::int64_t>(),
          row["removed"].as<bool>()};
}

// What a sealed text is bound to. Neither a tenant's name nor a provider's word holds a slash.
std::string context_of(const tenant_id& tenant, const outlet& of) {
  return tenant.text + "/" + to_string(of);
}

std::string provider_word(const outlet& of) {
  return std::string{spelled(of.via)};
}

} // namespace

result<std::vector<account_place>> accounts_since(session& db, std::int64_t version, int rows_max) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    std::vector<account_place> all;
    for (const auto& row : t.run(sql::accounts_since, version, rows_max))
      all.push_back(read_place(row));
    return all;
  });
}

result<account_contents> find_account(session& db, const seal_ring& ring, const std::string& id) {
  std::string sealed;
  auto found = db.in_transaction(
      reach::house(), [&](session::transaction& t) -> std::optional<account_contents> {
        const auto rows = t.run(sql::account_find, id);
        if (rows.empty()) return std::nullopt;
        sealed = text(rows[0]["sealed"]);
        return account_contents{read_place(rows[0]), text(rows[0]["open"]), {}};
      });
  if (!found) return found.why();
  if (!*found) return errc::not_found;
  auto contents = std::move(**found);
  auto secret = ring.open(sealed, context_of(contents.place.tenant, contents.place.of));
  if (!secret) return secret.why();
  contents.secret = std::move(*secret);
  return contents;
}

result<account_place> put_account(session& db, const seal_ring& ring, const tenant_id& tenant,
                                  const outlet& of, const std::string& open,
                                  const std::string& secret, const signature& by) {
  const auto sealed = ring.seal(secret, context_of(tenant, of));
  if (!sealed) return sealed.why();
  auto made = db.in_transaction(
      reach::house(), [&](session::transaction& t) -> std::optional<account_place> {
        if (t.run(sql::tenant_hold, tenant.text).empty()) return std::nullopt;
        t.run(sql::account_turn);
        const auto rows = t.run(sql::account_put, tenant.text, provider_word(of), of.app, open,
                                *sealed, ring.current());
        sign(t, by, "account.put", tenant, to_string(of));
        return read_place(rows[0]);
      });
  if (!made) return made.why();
  if (!*made) return errc::not_found;
  return std::move(**made);
}

result<done> remove_account(session& db, const tenant_id& tenant, const outlet& of,
                            const signature& by) {
  const auto removed = db.in_transaction(reach::house(), [&](session::transaction& t) {
    t.run(sql::account_turn);
    if (t.run(sql::account_remove, tenant.text, provider_word(of), of.app).empty()) return false;
    sign(t, by, "account.remove", tenant, to_string(of));
    return true;
  });
  if (!removed) return removed.why();
  if (!*removed) return errc::not_found;
  return done{};
}

result<std::vector<account_view>> list_accounts(session& db, const tenant_id& tenant) {
  auto found = db.in_transaction(
      reach::house(), [&](session::transaction& t) -> std::optional<std::vector<account_view>> {
        if (t.run(sql::tenant_find, tenant.text).empty()) return std::nullopt;
        std::vector<account_view> all;
        for (const auto& row : t.run(sql::account_list, tenant.text))
          all.push_back({{provider_spelled(row["provider"].c_str()).value(), text(row["app"])},
                         text(row["id"]),
                         text(row["open"]),
                         text(row["created_at"]),
                         text(row["changed_at"]),
                         text(row["paused_at"]),
                         text(row["pause_cause"]),
                         row["pause_code"].as<int>(),
                         text(row["key_name"])});
        return all;
      });
  if (!found) return found.why();
  if (!*found) return errc::not_found;
  return std::move(**found);
}

result<done> note_account(session& db, const account_place& which, const std::string& cause,
                          int code) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    t.run(sql::account_note, which.id, which.version, or_null(cause), code);
    return done{};
  });
}

result<int> reseal_accounts(session& db, const seal_ring& ring, int rows_max, const signature& by) {
  if (ring.empty()) return failure{errc::bad_input, "there is no sealing key"};
  failure why;
  const auto made = db.in_transaction(reach::house(), [&](session::transaction& t) {
    why = {errc::none, {}};
    int count = 0;
    for (const auto& row : t.run(sql::accounts_stale, ring.current(), rows_max)) {
      const outlet of{provider_spelled(row["provider"].c_str()).value(), text(row["app"])};
      const auto context = context_of({text(row["tenant_id"])}, of);
      const auto secret = ring.open(text(row["sealed"]), context);
      const auto sealed = secret ? ring.seal(*secret, context) : secret;
      if (!sealed) { // the others go on; it is told when it stands in nobody's way any more
        why = sealed.why();
        why.text = text(row["tenant_id"]) + " " + to_string(of) + ": " + why.text;
        continue;
      }
      t.run(sql::account_reseal, text(row["id"]), *sealed, ring.current());
      ++count;
    }
    if (count > 0)
      sign(t, by, "account.reseal", {}, std::to_string(count) + " under " + ring.current());
    return count;
  });
  if (made && *made == 0 && why.code != errc::none) return why;
  return made;
}

} // namespace arauto::storage
