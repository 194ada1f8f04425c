#include "storage/dead_letters.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

namespace {

std::optional<std::string> or_null(const std::optional<channel>& via) {
  return via ? std::optional<std::string>{to_string(*via)} : std::nullopt;
}

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

result<std::vector<dead_letter>> dead_letters(session& db, const tenant_id& tenant,
                                              const dead_letter_filter& which,
                                              const std::optional<dead_letter_place>& after,
                                              int rows_max) {
  std::optional<std::string> time, event, via;
  if (after) {
    time = after->settled_at;
    event = after->key.event.text;
    via = to_string(after->key.via);
  }
  return db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    std::vector<dead_letter> page;
    for (const auto& row :
         t.run(sql::dead_letters, tenant.text, or_null(which.cause), or_null(which.type),
               or_null(which.via), or_null(which.since), time, event, via, rows_max))
      page.push_back(read_dead_letter(row));
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
  return db.in_transaction(reach::of(tenant), [&](session::transaction& t) {
    t.run(sql::replay_turn, tenant.text);
    const auto row =
        t.run(sql::replay_dead_letters, tenant.text, or_null(which.cause), or_null(which.type),
              or_null(which.via), or_null(which.since), or_null(which.until), wanted.rows_max,
              wanted.even_if_doubtful, wanted.per_second)[0];
    replay_count count;
    count.replayed = row["replayed"].as<int>();
    count.doubtful = row["doubtful"].as<int>();
    count.stopped = row["stopped"].as<int>();
    count.erased = row["erased"].as<int>();
    count.last_due_at = text(row["last_due_at"]);
    count.more = row["more"].as<bool>();
    return count;
  });
}

} // namespace arauto::storage
