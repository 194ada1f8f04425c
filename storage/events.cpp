#include "storage/events.hpp"

#include <algorithm>
#include <map>

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

// An application's open transaction may hold the same operation id: wait little, answer that item
// alone.
constexpr std::chrono::milliseconds accept_lock_timeout{150};

constexpr const char* first_id = "00000000-0000-0000-0000-000000000000";
constexpr const char* last_id = "ffffffff-ffff-ffff-ffff-ffffffffffff";

std::string as_json(const std::vector<notification>& asked, const std::vector<std::size_t>& which) {
  auto items = nlohmann::json::array();
  for (const auto n : which) {
    const auto& one = asked[n];
    items.push_back(
        {{"n", n},
         {"id", one.id.text},
         {"tenant_id", one.tenant.text},
         {"user_id", one.user.text},
         {"type", one.type},
         {"variables", one.variables},
         {"client_key", one.operation.text},
         {"channels", one.channels_given ? spelled_list(one.channels) : nlohmann::json{}},
         {"priority", static_cast<int>(one.urgency)},
         {"send_at", json_or_null(one.send_at)},
         {"expires_at", json_or_null(one.expires_at)},
         {"lease_at_once", spelled_list(one.lease_at_once)}});
  }
  return dumped(items);
}

accepted_delivery read_accepted(const pqxx::row& row) {
  accepted_delivery d{via_of(row[5]), state_spelled(row[6].c_str()).value()};
  if (d.now == state::leased) d.outlets = read_outlets(d.via, row[7]);
  return d;
}

void read_verdict(const pqxx::row& row, accept_answer& answer) {
  answer.verdict = acceptance_spelled(row[1].c_str()).value_or(acceptance::in_progress); // unseen
  answer.subject = text(row[2]);
  if (answer.verdict == acceptance::conflict) return; // the other meaning is not shown
  answer.id = {text(row[3])};
  answer.created_at = text(row[4]);
}

// Fills `answers` from the rows (verdicts by number, then deliveries by event) and gives the items
// whose key was taken by a commit this snapshot could not see.
std::vector<std::size_t> read_answers(const pqxx::result& rows,
                                      std::vector<accept_answer>& answers) {
  std::vector<std::size_t> unseen;
  std::map<std::string, std::vector<accepted_delivery>> deliveries;
  std::vector<std::size_t> numbers;
  for (const auto& row : rows) {
    if (row[0].is_null()) {
      deliveries[text(row[3])].push_back(read_accepted(row));
      continue;
    }
    numbers.push_back(row[0].as<std::size_t>());
    read_verdict(row, answers.at(numbers.back()));
    if (answers[numbers.back()].verdict == acceptance::in_progress)
      unseen.push_back(numbers.back());
  }
  for (const auto n : numbers)
    if (const auto found = deliveries.find(answers[n].id.text); found != deliveries.end()) {
      answers[n].deliveries = found->second;
      std::sort(answers[n].deliveries.begin(), answers[n].deliveries.end(),
                [](const auto& a, const auto& b) { return a.via < b.via; });
    }
  return unseen;
}

delivery_view read_delivery(const pqxx::row& row) {
  delivery_view d;
  d.via = via_of(row["channel"]);
  d.now = state_spelled(row["state"].c_str()).value();
  d.attempts = row["attempts"].as<int>();
  d.deferrals = row["deferrals"].as<int>();
  d.doubtful = row["doubtful"].as<bool>();
  d.next_attempt_at = text(row["next_attempt_at"]);
  d.waits_for = text(row["waits_for"]);
  d.gives_up_at = text(row["gives_up_at"]);
  d.resolved_as = text(row["resolved_as"]);
  d.provider_ref = text(row["provider_ref"]);
  d.cause = text(row["cause"]);
  d.detail = text(row["detail"]);
  d.settled_at = text(row["settled_at"]);
  return d;
}

attempt_view read_attempt(const pqxx::row& row) {
  attempt_view a;
  a.number = row["number"].as<int>();
  a.begun_at = text(row["begun_at"]);
  a.ended_at = text(row["ended_at"]);
  a.outcome = text(row["outcome"]);
  a.code = row["code"].as<int>();
  a.detail = text(row["detail"]);
  return a;
}

target_view read_target(const pqxx::row& row) {
  return {text(row["device_id"]),
          {provider_spelled(row["provider"].c_str()).value(), text(row["app"])},
          state_spelled(row["state"].c_str()).value(),
          row["attempts"].as<int>(),
          row["code"].as<int>(),
          text(row["cause"]),
          text(row["detail"]),
          text(row["provider_ref"]),
          text(row["next_attempt_at"]),
          text(row["settled_at"])};
}

event_view read_event(const pqxx::row& row) {
  event_view e;
  e.id = {text(row["id"])};
  e.user = {text(row["user_id"])};
  e.type = text(row["type"]);
  e.operation = text(row["client_key"]);
  e.priority = to_string(static_cast<priority>(row["priority"].as<int>()));
  e.created_at = text(row["created_at"]);
  e.send_at = text(row["send_at"]);
  e.expires_at = text(row["expires_at"]);
  e.cancelled_at = text(row["cancelled_at"]);
  return e;
}

void add_deliveries(session::transaction& t, const tenant_id& tenant,
                    std::vector<event_view>& events) {
  std::string ids;
  for (const auto& e : events)
    ids += (ids.empty() ? "{" : ",") + e.id.text;
  if (ids.empty()) return;
  std::map<std::string, std::vector<delivery_view>> found;
  for (const auto& d : t.run(sql::event_deliveries, tenant.text, ids + "}"))
    found[text(d["event_id"])].push_back(read_delivery(d));
  for (auto& e : events)
    e.deliveries = std::move(found[e.id.text]);
}

event_view read_whole(session::transaction& t, const tenant_id& tenant, const pqxx::row& row) {
  std::vector<event_view> one{read_event(row)};
  add_deliveries(t, tenant, one);
  auto& e = one.front();
  for (const auto& a : t.run(sql::event_attempts, tenant.text, e.id.text))
    for (auto& d : e.deliveries)
      if (d.via == via_of(a["channel"])) d.trail.push_back(read_attempt(a));
  for (auto& d : e.deliveries)
    if (d.via == channel::push)
      for (const auto& one : t.run(sql::event_targets, tenant.text, e.id.text))
        d.targets.push_back(read_target(one));
  return std::move(e);
}

std::optional<event_place> place(bool towards_now, const event_id& event) {
  return event_place{event, towards_now};
}

result<event_view> found_or_not(result<std::optional<event_view>> made) {
  if (!made) return made.why();
  if (!*made) return errc::not_found;
  return std::move(**made);
}

} // namespace

result<std::vector<accept_answer>> accept(session& db, const std::vector<notification>& asked,
                                          const node_id& owner, std::chrono::milliseconds lease) {
  return db.in_transaction(
      reach_of_all(asked),
      [&](session::transaction& t) {
        std::vector<accept_answer> answers(asked.size());
        std::vector<std::size_t> which(asked.size());
        for (std::size_t n = 0; n < which.size(); ++n)
          which[n] = n;
        const auto unseen = read_answers(
            t.run(sql::accept, as_json(asked, which), owner.text, lease.count()), answers);
        // A commit that came between our snapshot and our insert: the next statement's snapshot
        // sees it.
        if (!unseen.empty())
          read_answers(t.run(sql::accept, as_json(asked, unseen), owner.text, lease.count()),
                       answers);
        return answers;
      },
      accept_lock_timeout);
}

result<event_view> find_event(session& db, const tenant_id& tenant, const event_id& id) {
  return found_or_not(db.in_transaction(
      reach::of(tenant), [&](session::transaction& t) -> std::optional<event_view> {
        const auto rows = t.run(sql::event_by_id, tenant.text, id.text);
        if (rows.empty()) return std::nullopt;
        return read_whole(t, tenant, rows[0]);
      }));
}

result<event_view> find_operation(session& db, const tenant_id& tenant,
                                  const operation_id& operation) {
  return found_or_not(db.in_transaction(
      reach::of(tenant), [&](session::transaction& t) -> std::optional<event_view> {
        const auto rows = t.run(sql::event_by_operation, tenant.text, operation.text);
        if (rows.empty()) return std::nullopt;
        return read_whole(t, tenant, rows[0]);
      }));
}

result<event_page> list_events(session& db, const tenant_id& tenant, const event_filter& which,
                               const std::optional<event_place>& from, int rows_max,
                               int walked_max) {
  const bool towards_now = from && from->towards_now;
  const auto state_word = which.now ? or_null(to_string(*which.now)) : std::nullopt;
  const auto via_word = which.via ? or_null(to_string(*which.via)) : std::nullopt;
  const auto begins = from ? or_null(from->event.text) : std::nullopt;
  return db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    event_page page;
    std::optional<event_place> goes_on; // in the direction of the walk
    for (const auto& row :
         t.run(towards_now ? sql::events_newer : sql::events_older, tenant.text,
               or_null(which.user.text), or_null(which.type), state_word, via_word,
               or_null(which.since), begins, rows_max + 1, walked_max)) {
      const bool full = page.events.size() == static_cast<std::size_t>(rows_max);
      if (full)
        goes_on = place(towards_now, page.events.back().id);
      else if (row["walked"].as<bool>())
        goes_on = place(towards_now, {text(row["id"])});
      if (!full && row["fits"].as<bool>()) page.events.push_back(read_event(row));
    }
    if (towards_now) std::reverse(page.events.begin(), page.events.end());
    add_deliveries(t, tenant, page.events);
    // Back to where the walk came from: an empty page has been passed whole.
    const auto back = [&](const event_id& nearest, const char* end) {
      if (!page.events.empty()) return place(!towards_now, nearest);
      return place(!towards_now, goes_on ? goes_on->event : event_id{end});
    };
    (towards_now ? page.newer : page.older) = goes_on;
    if (towards_now)
      page.older = back(page.events.empty() ? event_id{} : page.events.back().id, last_id);
    else if (from)
      page.newer = back(page.events.empty() ? event_id{} : page.events.front().id, first_id);
    return page;
  });
}

result<std::vector<stop_view>> cancel_event(session& db, const tenant_id& tenant,
                                            const event_id& id) {
  auto stops = db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    auto met = read_stops(t.run(sql::stop_event, tenant.text, id.text, "cancelled"));
    if (!met.empty()) t.run(sql::cancel_mark, tenant.text, id.text);
    return met;
  });
  if (stops && stops->empty()) return errc::not_found;
  return stops;
}

} // namespace arauto::storage
