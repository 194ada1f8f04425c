#include "storage/dead_letters.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

std::optional<std::string> or_null(const std::optional<channel>& via) {
  return via ? std::optional<std::string>{to_string(*via)} : std::nullopt;
}

struct place_columns {
  explicit place_columns(const std::optional<dead_letter_place>& place) {
    if (!place) return;
    settled_at = place->settled_at;
    event = place->key.event.text;
    via = to_string(place->key.via);
  }
  std::optional<std::string> settled_at, event, via;
};

dead_letter read_dead_letter(const pqxx::row& row) {
  dead_letter d;
  d.key = {{text(row["event_id"])}, via_of(row["channel"])};
  d.type = text(row["type"]);
  d.user = {text(row["user_id"])};
  d.operation = {text(row["client_operation_id"])};
  d.cause = text(row["cause"]);
  d.detail = text(row["detail"]);
  d.attempts = row["attempts"].as<int>();
  d.replays = row["replays"].as<int>();
  d.doubtful = row["doubtful"].as<bool>();
  d.doubted_at = text(row["doubted_at"]);
  d.stop_reason = text(row["stop_reason"]);
  d.erased = row["erased"].as<bool>();
  d.created_at = text(row["created_at"]);
  d.settled_at = text(row["settled_at"]);
  return d;
}

replay_verdict verdict_spelled(const std::string& word) {
  if (word == "replayed") return replay_verdict::replayed;
  if (word == "already") return replay_verdict::already;
  if (word == "stopped") return replay_verdict::stopped;
  if (word == "erased") return replay_verdict::erased;
  if (word == "doubtful") return replay_verdict::doubtful;
  return replay_verdict::not_dead;
}

} // namespace

result<dead_letter_page> dead_letters(session& db, const tenant_id& tenant,
                                      const dead_letter_filter& which,
                                      const std::optional<dead_letter_place>& after, int rows_max,
                                      int walked_max) {
  const place_columns from{after};
  return db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    dead_letter_page page;
    for (const auto& row :
         t.run(sql::dead_letters, tenant.text, or_null(which.cause), or_null(which.type),
               or_null(which.via), or_null(which.since), from.settled_at, from.event, from.via,
               rows_max + 1, walked_max)) { // one more than asked: there is a next page
      auto one = read_dead_letter(row);
      const bool full = page.letters.size() == static_cast<std::size_t>(rows_max);
      if (full)
        page.next = dead_letter_place{page.letters.back().settled_at, page.letters.back().key};
      else if (row["walked"].as<bool>())
        page.next = dead_letter_place{one.settled_at, one.key};
      if (!full && row["fits"].as<bool>()) page.letters.push_back(std::move(one));
    }
    return page;
  });
}

result<replay_answer> replay(session& db, const tenant_id& tenant, const delivery_key& which,
                             bool even_if_doubtful) {
  const auto made = db.in_transaction(
      reach::of(tenant), [&](session::transaction& t) -> std::optional<replay_answer> {
        const auto rows = t.run(sql::replay, tenant.text, which.event.text, to_string(which.via),
                                even_if_doubtful);
        if (rows.empty()) return std::nullopt;
        const auto& row = rows[0];
        return replay_answer{verdict_spelled(text(row["verdict"])),
                             state_spelled(row["state"].c_str()).value(),
                             text(row["next_attempt_at"])};
      });
  if (!made) return made.why();
  if (!*made) return errc::not_found;
  return **made;
}

result<replay_count> replay_dead_letters(session& db, const tenant_id& tenant,
                                         const paced_replay& wanted) {
  const auto& which = wanted.which;
  const place_columns from{wanted.after};
  return db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    t.run(sql::replay_turn, tenant.text);
    const auto row =
        t.run(sql::replay_dead_letters, tenant.text, or_null(which.cause), or_null(which.type),
              or_null(which.via), or_null(which.since), or_null(which.until), wanted.rows_max,
              wanted.even_if_doubtful, wanted.per_second, from.settled_at, from.event, from.via,
              wanted.walked_max)[0];
    replay_count count;
    count.replayed = row["replayed"].as<int>();
    count.doubtful = row["doubtful"].as<int>();
    count.stopped = row["stopped"].as<int>();
    count.erased = row["erased"].as<int>();
    count.last_due_at = text(row["last_due_at"]);
    if (!row["next_event_id"].is_null())
      count.next = dead_letter_place{text(row["next_settled_at"]),
                                     {{text(row["next_event_id"])}, via_of(row["next_channel"])}};
    return count;
  });
}

} // namespace arauto::storage
