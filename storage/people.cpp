#include "storage/people.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

result<done> put_recipient(session& db, const tenant_id& tenant, const recipient& who) {
  return db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    t.run(sql::recipient_put, tenant.text, who.user.text, or_null(who.email),
          or_null(who.email_key), or_null(who.name), or_null(who.locale), or_null(who.time_zone));
    return done{};
  });
}

result<recipient> find_recipient(session& db, const tenant_id& tenant, const user_id& user) {
  auto found = db.in_transaction(
      reach::of(tenant), [&](session::transaction& t) -> std::optional<recipient> {
        const auto rows = t.run(sql::recipient_find, tenant.text, user.text);
        if (rows.empty()) return std::nullopt;
        const auto& row = rows[0];
        return recipient{{text(row["user_id"])}, text(row["email"]),  {},
                         text(row["name"]),      text(row["locale"]), text(row["time_zone"])};
      });
  if (!found) return found.why();
  if (!*found) return errc::not_found;
  return std::move(**found);
}

result<std::vector<stop_view>> erase_recipient(session& db, const tenant_id& tenant,
                                               const user_id& user) {
  // The burial commits before the sweep: from then on no accept can reach this person, and what was
  // accepted is seen.
  const auto buried = db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    return !t.run(sql::recipient_bury, tenant.text, user.text).empty();
  });
  if (!buried) return buried.why();
  auto stops = db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    std::string ids;
    for (const auto& row : t.run(sql::recipient_erase_messages, tenant.text, user.text))
      ids += (ids.empty() ? "" : ",") + text(row[0]);
    auto met = read_stops(t.run(sql::stop_user, tenant.text, user.text, "erased"));
    t.run(sql::recipient_erase_words, tenant.text, "{" + ids + "}");
    return met;
  });
  if (stops && !*buried && stops->empty()) return errc::not_found;
  return stops;
}

result<preferences> find_preferences(session& db, const tenant_id& tenant, const user_id& user) {
  auto found = db.in_transaction(
      reach::of(tenant), [&](session::transaction& t) -> std::optional<preferences> {
        if (t.run(sql::recipient_find, tenant.text, user.text).empty()) return std::nullopt;
        preferences said;
        for (const auto& row : t.run(sql::preferences_find, tenant.text, user.text))
          said[text(row["type"])][via_of(row["channel"])] = row["allowed"].as<bool>();
        return said;
      });
  if (!found) return found.why();
  if (!*found) return errc::not_found;
  return std::move(**found);
}

result<std::vector<stop_view>> put_preferences(session& db, const tenant_id& tenant,
                                               const user_id& user, const preferences& wanted) {
  auto items = nlohmann::json::array();
  for (const auto& [type, choices] : wanted)
    for (const auto& [via, allowed] : choices)
      items.push_back({{"channel", spelled(via)}, {"type", type}, {"allowed", allowed}});
  const auto written = db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    if (t.run(sql::recipient_lock, tenant.text, user.text).empty()) return false;
    t.run(sql::preferences_clear, tenant.text, user.text);
    t.run(sql::preferences_write, tenant.text, user.text, dumped(items));
    return true;
  });
  if (!written) return written.why();
  if (!*written) return errc::not_found;
  // Only now, with the new preference visible to every later permit, sweep what was permitted to
  // wait under the old one.
  return db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    return read_stops(t.run(sql::stop_user, tenant.text, user.text, "opted_out"));
  });
}

} // namespace arauto::storage
