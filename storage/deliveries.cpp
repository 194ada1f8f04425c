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
  f.doubtful = row["doubtful"].as<bool>();
  return f;
}

nlohmann::json as_json(std::size_t n, const settlement& one) {
  const auto words = [&](const std::string& text) {
    return one.attempted ? json_or_null(text) : nlohmann::json{};
  };
  return {
      {"n", n},
      {"event_id", one.key.event.text},
      {"channel", spelled(one.key.via)},
      {"lease_token", one.held.number},
      {"state", spelled(one.decided.next)},
      {"delay_ms", one.decided.hold ? nlohmann::json{} : nlohmann::json(one.decided.delay.count())},
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

result<std::vector<reaped>> reap(session& db, int lost_leases_max, const doubt_policy& doubt,
                                 int rows_max) {
  const auto resend = doubt.rule == doubt_rule::hold
                          ? std::nullopt
                          : std::optional<std::int64_t>{doubt.resend_after.count()};
  return db.in_transaction([&](session::transaction& t) {
    std::vector<reaped> all;
    for (const auto& row : t.run(sql::reap, lost_leases_max, resend, rows_max))
      all.push_back({{text(row["tenant_id"])},
                     {{text(row["event_id"])}, via_of(row["channel"])},
                     {row["lease_token"].as<std::int64_t>()},
                     state_spelled(row["state"].c_str()).value()});
    return all;
  });
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
