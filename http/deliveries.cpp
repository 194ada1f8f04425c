#include "http/deliveries.hpp"

#include <nlohmann/json.hpp>

#include "actors/office.hpp"
#include "http/members.hpp"
#include "storage/log.hpp"
#include "storage/model/uuid.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

void log_resolved(const tenant_id& tenant, const delivery_key& which,
                  const storage::resolved& answer) {
  log::info("doubt_resolved", {{"tenant", tenant.text},
                               {"event_id", which.event.text},
                               {"channel", spelled(which.via)},
                               {"lease_token", answer.last.number},
                               {"state", spelled(answer.now)}});
}

} // namespace

or_problem<storage::resolution> read_resolution(std::string_view body,
                                                const http_settings& limits) {
  const auto read = read_body(body, limits);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"as"});
  const auto* word = in.text("as", need::required);
  const bool accepted = word != nullptr && *word == "accepted";
  if (word != nullptr && !accepted && *word != "not_accepted")
    in.wrong("as", "accepted or not_accepted is expected");
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  return accepted ? storage::resolution::accepted : storage::resolution::not_accepted;
}

or_problem<answer> resolve_delivery(const request& asked, const means& with) {
  auto read = read_resolution(asked.body, with.settings);
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  const auto via = channel_spelled(asked.names.at(1));
  if (!via || !is_uuid(asked.names.at(0))) return refusal(problem_code::not_found);
  const delivery_key which{{asked.names.at(0)}, *via};
  const auto answered = with.sessions.with(
      [&](storage::session& db) {
        return storage::resolve(db, asked.tenant, which, std::get<storage::resolution>(read),
                                with.settings.attempts_max);
      },
      with.settings.database_patience);
  if (!answered) return problem_of(answered.why());
  if (!answered->taken)
    return refusal(problem_code::not_in_doubt, "its state is " + to_string(answered->now));
  if (answered->changed) log_resolved(asked.tenant, which, *answered);
  if (answered->now == state::retry_wait) with.staff.work_ready(asked.tenant); // it is due
  answer told;
  told.body = nlohmann::ordered_json{{"id", which.event.text},
                                     {"channel", spelled(which.via)},
                                     {"state", spelled(answered->now)}}
                  .dump();
  return told;
}

} // namespace arauto::http
