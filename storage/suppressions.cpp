#include "storage/suppressions.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {
constexpr std::size_t digits_in_audit = 16; // enough for who knows the address
}

result<std::vector<suppression_view>> list_suppressions(session& db, const tenant_id& tenant,
                                                        const suppression_place& after,
                                                        int rows_max) {
  auto found = db.in_transaction(
      reach::house(), [&](session::transaction& t) -> std::optional<std::vector<suppression_view>> {
        if (t.run(sql::tenant_find, tenant.text).empty()) return std::nullopt;
        std::vector<suppression_view> all;
        for (const auto& row : t.run(sql::suppression_list, tenant.text, to_string(after.via),
                                     after.digest, rows_max))
          all.push_back({via_of(row["channel"]), text(row["digest"]), text(row["reason"]),
                         text(row["created_at"])});
        return all;
      });
  if (!found) return found.why();
  if (!*found) return errc::not_found;
  return std::move(**found);
}

result<done> lift_suppression(session& db, const tenant_id& tenant, channel via,
                              const std::string& address, const signature& by) {
  const auto lifted = db.in_transaction(reach::house(), [&](session::transaction& t) {
    const auto rows = t.run(sql::suppression_lift, tenant.text, to_string(via), address);
    if (rows.empty()) return false;
    sign(t, by, "suppression.lift", tenant,
         to_string(via) + ":" + text(rows[0]["digest"]).substr(0, digits_in_audit));
    return true;
  });
  if (!lifted) return lifted.why();
  if (!*lifted) return errc::not_found;
  return done{};
}

} // namespace arauto::storage
