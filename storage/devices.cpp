#include "storage/devices.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

struct met {
  errc refused = errc::none;
  device_put answer;
};

std::optional<std::string> keys_of(const device& one) {
  if (one.of.via != provider::web_push) return std::nullopt;
  return dumped({{"p256dh", one.p256dh}, {"auth", one.auth}});
}

bool may_stand(const device& one) {
  const bool has_keys = !one.p256dh.empty() && !one.auth.empty();
  const bool has_no_keys = one.p256dh.empty() && one.auth.empty();
  return channel_of(one.of.via) == channel::push && !one.token.empty()
         && one.token.size() <= token_bytes_max
         && (one.of.via == provider::web_push ? has_keys : has_no_keys);
}

met put_inside(session::transaction& t, const tenant_id& tenant, const user_id& user,
               const device& wanted) {
  const std::string via{spelled(wanted.of.via)};
  const auto& app = wanted.of.app;
  const auto keys = keys_of(wanted);
  if (t.run(sql::recipient_lock, tenant.text, user.text).empty()) return {errc::not_found, {}};
  t.run(sql::device_turn, tenant.text, via, app, wanted.token);
  const auto found =
      t.run(sql::device_meet, tenant.text, user.text, wanted.id, via, app, wanted.token, keys)[0];
  const bool lives = found["lives"].as<bool>();
  if (found["others"].as<int>() >= devices_max) return {errc::no_room, {}};
  t.run(sql::device_give_up, tenant.text, user.text, wanted.id, via, app, wanted.token);
  const auto row =
      t.run(sql::device_put, tenant.text, user.text, wanted.id, via, app, wanted.token, keys)[0];
  return {errc::none, {!lives, lives && !found["same"].as<bool>(), text(row["registered_at"])}};
}

} // namespace

result<device_put> put_device(session& db, const tenant_id& tenant, const user_id& user,
                              const device& wanted) {
  if (!may_stand(wanted)) return errc::bad_input;
  auto made = db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    return put_inside(t, tenant, user, wanted);
  });
  if (!made) return made.why();
  if (made->refused != errc::none) return made->refused;
  return std::move(made->answer);
}

result<done> end_device(session& db, const tenant_id& tenant, const user_id& user,
                        const std::string& device_id) {
  const auto known = db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    return !t.run(sql::device_end, tenant.text, user.text, device_id).empty();
  });
  if (!known) return known.why();
  if (!*known) return errc::not_found;
  return done{};
}

result<std::vector<device_view>> list_devices(session& db, const tenant_id& tenant,
                                              const user_id& user) {
  auto found = db.in_transaction(
      reach::of(tenant), [&](session::transaction& t) -> std::optional<std::vector<device_view>> {
        if (t.run(sql::recipient_find, tenant.text, user.text).empty()) return std::nullopt;
        std::vector<device_view> all;
        for (const auto& row : t.run(sql::device_list, tenant.text, user.text))
          all.push_back({text(row["device_id"]),
                         {provider_spelled(row["provider"].c_str()).value(), text(row["app"])},
                         text(row["registered_at"]),
                         text(row["ended_at"]),
                         text(row["end_reason"])});
        return all;
      });
  if (!found) return found.why();
  if (!*found) return errc::not_found;
  return std::move(**found);
}

} // namespace arauto::storage
