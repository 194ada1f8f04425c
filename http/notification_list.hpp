// GET /v1/notifications: a page of them, or the one of an operation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.hpp"
#include "storage/events.hpp"

namespace arauto::http {

or_problem<answer> list_notifications(const request& asked, const means& with);

// `o` (older) or `n` (newer), then the id of the event at the place.
std::string written_event_cursor(const storage::event_place& place);
std::optional<storage::event_place> read_event_cursor(std::string_view cursor);

} // namespace arauto::http
