// /v1/users: who can be told, and what they want to be told.
#pragma once

#include <string>
#include <string_view>

#include "http/request.hpp"
#include "storage/people.hpp"

namespace arauto::http {

or_problem<answer> put_user(const request& asked, const means& with);
or_problem<answer> get_user(const request& asked, const means& with);
or_problem<answer> delete_user(const request& asked, const means& with);
or_problem<answer> put_user_preferences(const request& asked, const means& with);
or_problem<answer> get_user_preferences(const request& asked, const means& with);

// The pure halves.
or_problem<storage::recipient> read_recipient(std::string_view body, const http_settings& limits);
std::string told_recipient(const storage::recipient& who);
or_problem<storage::preferences> read_preferences(std::string_view body,
                                                  const http_settings& limits);
// `stops` is null where nothing was changed.
std::string told_preferences(const storage::preferences& said,
                             const std::vector<storage::stop_view>* stops);

} // namespace arauto::http
