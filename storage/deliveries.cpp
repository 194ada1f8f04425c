#include "storage/deliveries.hpp"

#include <set>

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"
#include "storage/targets.hpp"

namespace arauto::storage {

namespace {

lease read_lease(const pqxx::row& row) {
  return {{{text(row["event_id"])}, via_of(row["channel"])},
          {row["lease_token"].as<std::int64_t>()},
          {text(row["tenant_id"])},
          static_cast<priority>(row["priority"].as<int>()),
          row["lost_leases"].as<int>(),
          read_outlets(via_of(row["channel"]), row["outlets"])};
}

template <class Item>
std::string as_json(const std::vector<Item>& asked) {
  auto items = nlohmann::json::array();
  for (std::size_t n = 0; n < asked.size(); ++n)
    items.push_back({{"n", n},
                     {"event_id", asked[n].key.event.text},
                     {"channel", spelled(asked[n].key.via)},
                     {"tenant_id", asked[n].tenant.text},
                     {"lease_token", asked[n].held.number}});
  return dumped(items);
}

constexpr std::chrono::seconds held_rows_are_left_for{5};

bool leaves_held_rows(const session& db) {
  return std::chrono::steady_clock::now() < db.leaves_held_rows_until;
}

void leave_held_rows(session& db) {
  db.leaves_held_rows_until = std::chrono::steady_clock::now() + held_rows_are_left_for;
}

// Waits for a row once, then runs the same again without what somebody holds.
template <class Body>
auto without_long_waits(session& db, const reach& far, const Body& body) {
  auto made = db.in_transaction(far, body, db.row_patience());
  if (made.error() != errc::busy || leaves_held_rows(db)) return made;
  leave_held_rows(db);
  return db.in_transaction(far, body, db.row_patience());
}

// One answer per item; those whose row somebody else holds get none but that.
template <class Answer, class Item, class Run>
std::vector<Answer> of_free_rows(session::transaction& t, session& db,
                                 const std::vector<Item>& asked, const Run& run) {
  if (!leaves_held_rows(db) || asked.empty()) return run(asked);
  std::vector<Answer> answers(asked.size());
  std::vector<held_delivery> keys;
  for (const auto& one : asked)
    keys.push_back({one.key, one.held, one.tenant});
  for (const auto& row : t.run(sql::held_rows, as_json(keys))) {
    answers.at(row["n"].template as<std::size_t>()).row_held = true;
    leave_held_rows(db);
  }
  std::vector<Item> free;
  for (std::size_t n = 0; n < asked.size(); ++n)
    if (!answers[n].row_held) free.push_back(asked[n]);
  auto made = run(free);
  auto next = made.begin();
  for (auto& one : answers)
    if (!one.row_held) one = std::move(*next++);
  return answers;
}

std::vector<part> read_parts(const pqxx::field& f) {
  std::vector<part> parts;
  for (const auto& one : nlohmann::json::parse(f.c_str()))
    parts.push_back({one.at("name").get<std::string>(), one.at("text").get<std::string>()});
  return parts;
}

send_facts read_facts(const permit_question& whose, const pqxx::row& row) {
  send_facts f;
  f.key = whose.key;
  f.held = whose.held;
  f.tenant = whose.tenant;
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
  f.urgency = static_cast<priority>(row["priority"].as<int>());
  if (!row["expires_in_ms"].is_null()) f.expires_in_ms = row["expires_in_ms"].as<std::int64_t>();
  f.through = whose.through;
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
      {"tenant_id", one.tenant.text},
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

std::vector<permit> permits_of(session::transaction& t, const std::vector<permit_question>& asked,
                               milliseconds length) {
  std::vector<permit> permits(asked.size());
  for (const auto& row : t.run(sql::permit, as_json(asked), length.count())) {
    const auto n = row["n"].as<std::size_t>();
    auto& one = permits.at(n);
    one.still_ours = true;
    one.now = state_spelled(row["state"].c_str()).value();
    if (one.now == state::leased) one.facts = read_facts(asked[n], row);
  }
  address_targets(t, permits);
  return permits;
}

std::vector<permit> permits_inside(session::transaction& t, session& db,
                                   const std::vector<permit_question>& asked, milliseconds length) {
  return of_free_rows<permit>(t, db, asked,
                              [&](const auto& free) { return permits_of(t, free, length); });
}

std::vector<settled> settled_of(session::transaction& t, const std::vector<settlement>& asked) {
  auto items = nlohmann::json::array();
  for (std::size_t n = 0; n < asked.size(); ++n)
    items.push_back(as_json(n, asked[n]));
  tell_targets(t, asked);
  std::vector<settled> answers(asked.size());
  for (const auto& row : t.run(sql::settle, dumped(items))) {
    auto& one = answers.at(row["n"].as<std::size_t>());
    one.ours = std::string{row["verdict"].c_str()} == "settled";
    one.now = state_spelled(row["state"].c_str()).value();
  }
  return answers;
}

std::vector<settled> settle_inside(session::transaction& t, session& db,
                                   const std::vector<settlement>& asked) {
  return of_free_rows<settled>(t, db, asked, [&](const auto& free) { return settled_of(t, free); });
}

struct renewal {
  bool row_held = false;
  bool done = false;
};

std::vector<renewal> renewals_of(session::transaction& t, const std::vector<held_delivery>& asked,
                                 milliseconds length) {
  std::set<delivery_key> done;
  for (const auto& row : t.run(sql::renew, as_json(asked), length.count()))
    done.insert({{text(row["event_id"])}, via_of(row["channel"])});
  std::vector<renewal> answers;
  for (const auto& one : asked)
    answers.push_back({false, done.count(one.key) > 0});
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
  return db.in_transaction(reach_of_all(rooms), [&](session::transaction& t) {
    std::vector<lease> leases;
    for (const auto& row : t.run(sql::claim, dumped(items), owner.text, length.count()))
      leases.push_back(read_lease(row));
    return leases;
  });
}

result<std::optional<lease>> claim_suspect(session& db, const std::vector<channel>& served,
                                           const node_id& owner, milliseconds length) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) -> std::optional<lease> {
    const auto rows = t.run(sql::claim_suspect, owner.text, length.count(), text_array(served));
    if (rows.empty()) return std::nullopt;
    return read_lease(rows[0]);
  });
}

result<std::vector<permit>> ask_permits(session& db, const std::vector<permit_question>& asked,
                                        milliseconds length) {
  return without_long_waits(db, reach_of_all(asked), [&](session::transaction& t) {
    return permits_inside(t, db, asked, length);
  });
}

result<std::vector<settled>> settle(session& db, const std::vector<settlement>& asked) {
  return without_long_waits(db, reach_of_all(asked),
                            [&](session::transaction& t) { return settle_inside(t, db, asked); });
}

result<settled_and_permitted> settle_and_permit(session& db,
                                                const std::vector<settlement>& settlements,
                                                const std::vector<permit_question>& permits,
                                                milliseconds length) {
  std::vector<tenant_id> tenants;
  for (const auto& one : settlements)
    tenants.push_back(one.tenant);
  for (const auto& one : permits)
    tenants.push_back(one.tenant);
  return without_long_waits(db, reach::of(tenants), [&](session::transaction& t) {
    settled_and_permitted both;
    both.settlements = settle_inside(t, db, settlements);
    both.permits = permits_inside(t, db, permits, length);
    return both;
  });
}

result<std::vector<held_delivery>> renew(session& db, const std::vector<held_delivery>& asked,
                                         milliseconds length) {
  return without_long_waits(db, reach_of_all(asked), [&](session::transaction& t) {
    const auto renewed = of_free_rows<renewal>(
        t, db, asked, [&](const auto& free) { return renewals_of(t, free, length); });
    std::vector<held_delivery> not_renewed;
    for (std::size_t n = 0; n < asked.size(); ++n)
      if (!renewed[n].done) not_renewed.push_back(asked[n]);
    return not_renewed;
  });
}

result<std::vector<reaped>> reap(session& db, const reap_rules& rules, int rows_max) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    return read_reaped(t.run(sql::reap, rules.lost_leases_max, rules.attempts_max, rows_max,
                             std::string{spelled(rules.doubt.rule)}, rules.doubt.after.count(),
                             rules.doubt.resends_max));
  });
}

result<std::vector<reaped>> give_up_waits(session& db, int rows_max) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    return read_reaped(t.run(sql::give_up_waits, rows_max));
  });
}

result<doubt_count> count_in_doubt(session& db, int rows_max) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    const auto row = t.run(sql::in_doubt_count, rows_max)[0];
    return doubt_count{row["deliveries"].as<int>(), row["held"].as<int>()};
  });
}

result<resolved> resolve(session& db, const tenant_id& tenant, const delivery_key& which,
                         resolution as, int attempts_max) {
  auto made =
      db.in_transaction(reach::of(tenant), [&](session::transaction& t) -> std::optional<resolved> {
        const auto rows =
            t.run(sql::resolve, tenant.text, which.event.text, to_string(which.via),
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
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    std::vector<std::pair<tenant_id, channel>> due;
    for (const auto& row : t.run(sql::due_tenants, text_array(served)))
      due.emplace_back(tenant_id{text(row[0])}, via_of(row[1]));
    return due;
  });
}

} // namespace arauto::storage
