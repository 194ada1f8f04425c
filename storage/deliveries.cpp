#include "storage/deliveries.hpp"

#include <set>

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

lease read_lease(const pqxx::row& row) {
  return {{{text(row["event_id"])}, via_of(row["channel"])},
          {row["lease_token"].as<std::int64_t>()},
          {text(row["tenant_id"])},
          static_cast<priority>(row["priority"].as<int>()),
          row["lost_leases"].as<int>(),
          row["doubtful"].as<bool>()};
}

std::string as_json(const std::vector<held_delivery>& asked) {
  auto items = nlohmann::json::array();
  for (std::size_t n = 0; n < asked.size(); ++n)
    items.push_back({{"n", n},
                     {"event_id", asked[n].key.event.text},
                     {"channel", spelled(asked[n].key.via)},
                     {"lease_token", asked[n].held.number}});
  return dumped(items);
}

std::vector<part> read_parts(const pqxx::field& f) {
  std::vector<part> parts;
  for (const auto& one : nlohmann::json::parse(f.c_str()))
    parts.push_back({one.at("name").get<std::string>(), one.at("text").get<std::string>()});
  return parts;
}

send_facts read_facts(const held_delivery& whose, const pqxx::row& row) {
  send_facts f;
  f.key = whose.key;
  f.held = whose.held;
  f.to_address = text(row["email"]);
  f.to_name = text(row["name"]);
  f.to_digest = text(row["email_digest"]);
  f.sender_address = text(row["sender_address"]);
  f.sender_name = text(row["sender_name"]);
  f.parts = read_parts(row["parts"]);
  f.variables = text(row["variables"]);
  f.attempts = row["attempts"].as<int>();
  f.deferrals = row["deferrals"].as<int>();
  f.doubts = row["doubts"].as<int>();
  f.doubt = read_doubt(row);
  return f;
}

nlohmann::json as_json(std::size_t n, const settlement& one) {
  const auto words = [&](const std::string& text) {
    return one.attempted ? json_or_null(text) : nlohmann::json{};
  };
  const auto given_up = one.decided.gives_up_after.count();
  return {
      {"n", n},
      {"event_id", one.key.event.text},
      {"channel", spelled(one.key.via)},
      {"lease_token", one.held.number},
      {"state", spelled(one.decided.next)},
      {"delay_ms", one.decided.hold ? nlohmann::json{} : nlohmann::json(one.decided.delay.count())},
      {"gives_up_ms", given_up == 0 ? nlohmann::json{} : nlohmann::json(given_up)},
      {"outcome", one.attempted ? nlohmann::json(spelled(one.what.said)) : nlohmann::json{}},
      {"code", one.what.code},
      {"detail", json_or_null(one.what.detail)},
      {"provider_ref", words(one.what.provider_ref)},
      {"cause", json_or_null(one.decided.cause)},
      {"given_back", one.given_back},
      {"deferred", one.deferred},
      {"lost", one.lost},
      {"suppress_digest", json_or_null(one.suppress_digest)}};
}

std::vector<permit> permits_inside(session::transaction& t, const std::vector<held_delivery>& asked,
                                   milliseconds length) {
  std::vector<permit> permits(asked.size());
  for (const auto& row : t.run(sql::permit, as_json(asked), length.count())) {
    const auto n = row["n"].as<std::size_t>();
    auto& one = permits.at(n);
    one.still_ours = true;
    one.now = state_spelled(row["state"].c_str()).value();
    if (one.now == state::leased) one.facts = read_facts(asked[n], row);
  }
  return permits;
}

std::vector<settled> settle_inside(session::transaction& t, const std::vector<settlement>& asked) {
  auto items = nlohmann::json::array();
  for (std::size_t n = 0; n < asked.size(); ++n)
    items.push_back(as_json(n, asked[n]));
  std::vector<settled> answers(asked.size());
  for (const auto& row : t.run(sql::settle, dumped(items))) {
    auto& one = answers.at(row["n"].as<std::size_t>());
    one.ours = std::string{row["verdict"].c_str()} == "settled";
    one.now = state_spelled(row["state"].c_str()).value();
  }
  return answers;
}

std::vector<reaped> read_reaped(const pqxx::result& rows) {
  std::vector<reaped> all;
  for (const auto& row : rows)
    all.push_back({{text(row["tenant_id"])},
                   {{text(row["event_id"])}, via_of(row["channel"])},
                   {row["lease_token"].as<std::int64_t>()},
                   state_spelled(row["state"].c_str()).value()});
  return all;
}

} // namespace

result<std::vector<lease>> claim(session& db, const std::vector<room>& rooms, const node_id& owner,
                                 milliseconds length) {
  auto items = nlohmann::json::array();
  for (const auto& one : rooms)
    items.push_back({{"tenant_id", one.tenant.text},
                     {"channel", spelled(one.via)},
                     {"room", one.deliveries},
                     {"urgent_room", one.urgent}});
  return db.in_transaction([&](session::transaction& t) {
    std::vector<lease> leases;
    for (const auto& row : t.run(sql::claim, dumped(items), owner.text, length.count()))
      leases.push_back(read_lease(row));
    return leases;
  });
}

result<std::optional<lease>> claim_suspect(session& db, const std::vector<channel>& served,
                                           const node_id& owner, milliseconds length) {
  return db.in_transaction([&](session::transaction& t) -> std::optional<lease> {
    const auto rows = t.run(sql::claim_suspect, owner.text, length.count(), text_array(served));
    if (rows.empty()) return std::nullopt;
    return read_lease(rows[0]);
  });
}

result<std::vector<permit>> ask_permits(session& db, const std::vector<held_delivery>& asked,
                                        milliseconds length) {
  return db.in_transaction(
      [&](session::transaction& t) { return permits_inside(t, asked, length); });
}

result<std::vector<settled>> settle(session& db, const std::vector<settlement>& asked) {
  return db.in_transaction([&](session::transaction& t) { return settle_inside(t, asked); });
}

result<settled_and_permitted> settle_and_permit(session& db,
                                                const std::vector<settlement>& settlements,
                                                const std::vector<held_delivery>& permits,
                                                milliseconds length) {
  return db.in_transaction([&](session::transaction& t) {
    settled_and_permitted both;
    both.settlements = settle_inside(t, settlements);
    both.permits = permits_inside(t, permits, length);
    return both;
  });
}

result<std::vector<held_delivery>> renew(session& db, const std::vector<held_delivery>& asked,
                                         milliseconds length) {
  return db.in_transaction([&](session::transaction& t) {
    std::set<delivery_key> kept;
    for (const auto& row : t.run(sql::renew, as_json(asked), length.count()))
      kept.insert({{text(row["event_id"])}, via_of(row["channel"])});
    std::vector<held_delivery> lost;
    for (const auto& one : asked)
      if (kept.count(one.key) == 0) lost.push_back(one);
    return lost;
  });
}

result<std::vector<reaped>> reap(session& db, const reap_rules& rules, int rows_max) {
  return db.in_transaction([&](session::transaction& t) {
    return read_reaped(t.run(sql::reap, rules.lost_leases_max, rules.attempts_max, rows_max,
                             std::string{spelled(rules.doubt.rule)}, rules.doubt.after.count(),
                             rules.doubt.resends_max));
  });
}

result<std::vector<reaped>> give_up_waits(session& db, int rows_max) {
  return db.in_transaction(
      [&](session::transaction& t) { return read_reaped(t.run(sql::give_up_waits, rows_max)); });
}

result<doubt_count> count_in_doubt(session& db, int rows_max) {
  return db.in_transaction([&](session::transaction& t) {
    const auto row = t.run(sql::in_doubt_count, rows_max)[0];
    return doubt_count{row["deliveries"].as<int>(), row["held"].as<int>()};
  });
}

result<resolved> resolve(session& db, const tenant_id& tenant, const delivery_key& which,
                         resolution as, int attempts_max) {
  auto made = db.in_transaction([&](session::transaction& t) -> std::optional<resolved> {
    const auto rows = t.run(sql::resolve, tenant.text, which.event.text, to_string(which.via),
                            as == resolution::accepted ? "accepted" : "not_accepted", attempts_max);
    if (rows.empty()) return std::nullopt;
    return resolved{rows[0]["resolved"].as<bool>(),
                    rows[0]["changed"].as<bool>(),
                    state_spelled(rows[0]["state"].c_str()).value(),
                    {rows[0]["lease_token"].as<std::int64_t>()}};
  });
  if (!made) return made.why();
  if (!*made) return errc::not_found;
  return **made;
}

result<std::vector<std::pair<tenant_id, channel>>> due_tenants(session& db,
                                                               const std::vector<channel>& served) {
  return db.in_transaction([&](session::transaction& t) {
    std::vector<std::pair<tenant_id, channel>> due;
    for (const auto& row : t.run(sql::due_tenants, text_array(served)))
      due.emplace_back(tenant_id{text(row[0])}, via_of(row[1]));
    return due;
  });
}

} // namespace arauto::storage
