// /v1/dead-letters and the replay of deliveries: what was refused for good or given up, why, and
// once more.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.hpp"
#include "storage/dead_letters.hpp"

namespace arauto::http {

or_problem<answer> list_dead_letters(const request& asked, const means& with);
or_problem<answer> replay_delivery(const request& asked, const means& with);
or_problem<answer> replay_dead_letters(const request& asked, const means& with);

// A place in the list as clients carry it; they need not know what is in it.
std::string written_cursor(const storage::dead_letter_place& place);
std::optional<storage::dead_letter_place> read_cursor(std::string_view cursor);

} // namespace arauto::http
