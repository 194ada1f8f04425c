#include "storage/targets.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

bool may_begin_push(const permit& one) {
  return one.still_ours && one.now == state::leased && one.facts.key.via == channel::push;
}

// An app is part of an outlet only where a slot was given.
nlohmann::json question(std::size_t n, const send_facts& f) {
  const bool has_slot = channel_of(f.through.via) == channel::push;
  return {{"n", n},
          {"tenant_id", f.tenant.text},
          {"event_id", f.key.event.text},
          {"channel", spelled(f.key.via)},
          {"lease_token", f.held.number},
          {"provider", has_slot ? nlohmann::json(spelled(f.through.via)) : nlohmann::json{}},
          {"app", has_slot ? nlohmann::json(f.through.app) : nlohmann::json{}}};
}

void read_target(const pqxx::row& row, send_facts& into) {
  if (row["device_id"].is_null()) {
    into.others = {row["accepted"].as<int>(), row["outstanding"].as<int>(),
                   row["in_doubt"].as<int>(),
                   row["due_ms"].is_null() ? -1 : row["due_ms"].as<std::int64_t>()};
    return;
  }
  into.targets.push_back({text(row["device_id"]), text(row["token"]), text(row["p256dh"]),
                          text(row["auth"]), text(row["registered_at"]),
                          row["registered_at_ms"].as<std::int64_t>()});
}

template <class Held>
void append(nlohmann::json& items, const Held& whose, const std::vector<target_told>& targets) {
  for (const auto& one : targets) {
    const bool over = is_final(one.decided.next) || one.decided.hold;
    items.push_back(
        {{"tenant_id", whose.tenant.text},
         {"event_id", whose.key.event.text},
         {"channel", spelled(whose.key.via)},
         {"lease_token", whose.held.number},
         {"device_id", one.device_id},
         {"registered_at", one.registered_at},
         {"state", spelled(one.decided.next)},
         {"delay_ms", over ? nlohmann::json{} : nlohmann::json(one.decided.delay.count())},
         {"outcome", spelled(one.what.said)},
         {"code", one.what.code},
         {"cause", json_or_null(one.decided.cause)},
         {"detail", json_or_null(one.what.detail)},
         {"provider_ref", json_or_null(one.what.provider_ref)},
         {"end_reason", json_or_null(one.end_reason)}});
  }
}

void tell(session::transaction& t, const nlohmann::json& items) {
  if (!items.empty()) t.run(sql::target_tell, dumped(items));
}

} // namespace

void address_targets(session::transaction& t, std::vector<permit>& permits) {
  auto items = nlohmann::json::array();
  for (std::size_t n = 0; n < permits.size(); ++n)
    if (may_begin_push(permits[n])) items.push_back(question(n, permits[n].facts));
  if (items.empty()) return;
  for (const auto& row : t.run(sql::permit_targets, dumped(items)))
    read_target(row, permits.at(row["n"].as<std::size_t>()).facts);
}

void tell_targets(session::transaction& t, const std::vector<settlement>& asked) {
  auto items = nlohmann::json::array();
  for (const auto& one : asked)
    append(items, one, one.targets);
  tell(t, items);
}

result<done> note_targets(session& db, const std::vector<targets_note>& told) {
  auto items = nlohmann::json::array();
  std::vector<tenant_id> tenants;
  for (const auto& one : told) {
    append(items, one.whose, one.targets);
    tenants.push_back(one.whose.tenant);
  }
  return db.in_transaction(reach::of(tenants), [&](session::transaction& t) {
    tell(t, items);
    return done{};
  });
}

} // namespace arauto::storage
