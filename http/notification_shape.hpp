// A notification between JSON and the model, both ways. Pure: no office, no database, no clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "http/problem.hpp"
#include "http/request.hpp"
#include "http/time.hpp"
#include "storage/events.hpp"
#include "storage/model/event.hpp"

namespace arauto::http {

// Id and tenant are left to the caller. `idempotency_key` is the header, where there is one.
or_problem<notification> read_notification(std::string_view body,
                                           std::optional<std::string_view> idempotency_key,
                                           const http_settings& limits, unix_time now);

// The answer to `asked`: 202, or the problem that its verdict stands for.
// The same of what was read already; pointers begin at `given`.
or_problem<notification> notification_in(const nlohmann::json& given,
                                         std::optional<std::string_view> idempotency_key,
                                         const http_settings& limits, unix_time now);

// Nothing when the notification stands; else why not.
std::optional<problem> refusal_of(const notification& asked, const accept_answer& said);

or_problem<answer> told_acceptance(const notification& asked, const accept_answer& said);

std::string told_event(const storage::event_view& event);
// A page; the cursors are strings or null.
std::string told_events(const std::vector<storage::event_view>& events,
                        const nlohmann::ordered_json& next, const nlohmann::ordered_json& prev);

std::string told_stops(const event_id& id, const std::vector<storage::stop_view>& stops);

} // namespace arauto::http
