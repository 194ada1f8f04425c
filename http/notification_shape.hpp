// A notification between JSON and the model, both ways. Pure: no office, no database, no clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>

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
or_problem<answer> told_acceptance(const notification& asked, const accept_answer& said);

std::string told_event(const storage::event_view& event);

std::string told_stops(const event_id& id, const std::vector<storage::stop_view>& stops);

} // namespace arauto::http
