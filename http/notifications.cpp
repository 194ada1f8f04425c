#include "http/notifications.hpp"

#include <chrono>

#include <nlohmann/json.hpp>

#include "actors/office.hpp"
#include "http/members.hpp"
#include "http/notification_shape.hpp"
#include "storage/events.hpp"
#include "storage/model/chance.hpp"
#include "storage/model/uuid.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

or_problem<answer> told(const result<storage::event_view>& found) {
  if (!found) return problem_of(found.why());
  answer told;
  told.body = told_event(*found);
  return told;
}

} // namespace

or_problem<answer> post_notification(const request& asked, const means& with) {
  const auto now = std::chrono::system_clock::now();
  auto read = read_notification(asked.body, asked.idempotency_key, limits_for(asked, with),
                                std::chrono::duration_cast<unix_time>(now.time_since_epoch()));
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  auto& event = std::get<notification>(read);
  event.id.text = uuid_v7(now, random_bytes_10());
  event.tenant = asked.tenant;
  const auto said = with.staff.submit(event);
  if (!said) return problem_of(said.why());
  return told_acceptance(event, *said);
}

or_problem<answer> get_notification(const request& asked, const means& with) {
  const event_id id{asked.names.at(0)};
  if (!is_uuid(id.text)) return refusal(problem_code::not_found);
  return told(with.sessions.with(
      [&](storage::session& db) { return storage::find_event(db, asked.tenant, id); },
      with.settings.database_patience));
}

or_problem<answer> find_notification(const std::string& operation, const tenant_id& tenant,
                                     const means& with) {
  if (fault_of_operation_id(operation) != nullptr) return refusal(problem_code::not_found);
  return told(with.sessions.with(
      [&](storage::session& db) { return storage::find_operation(db, tenant, {operation}); },
      with.settings.database_patience));
}

or_problem<answer> cancel_notification(const request& asked, const means& with) {
  if (!asked.body.empty()) { // some clients cannot send a POST without `{}`
    const auto read = read_body(asked.body, with.settings);
    if (const auto* no = std::get_if<problem>(&read)) return *no;
    std::vector<field_error> errors;
    members{std::get<nlohmann::json>(read), "", errors}.only({});
    if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  }
  const event_id id{asked.names.at(0)};
  if (!is_uuid(id.text)) return refusal(problem_code::not_found);
  const auto stops = with.sessions.with(
      [&](storage::session& db) { return storage::cancel_event(db, asked.tenant, id); },
      with.settings.database_patience);
  if (!stops) return problem_of(stops.why());
  answer told;
  told.body = told_stops(id, *stops);
  return told;
}

} // namespace arauto::http
