// /v1/templates: what a message of one type says on one channel.
#pragma once

#include <string>
#include <string_view>

#include "http/request.hpp"
#include "storage/templates.hpp"

namespace arauto::http {

or_problem<answer> put_template(const request& asked, const means& with);
or_problem<answer> get_template(const request& asked, const means& with);
or_problem<answer> delete_template(const request& asked, const means& with);

// The pure halves. Type, channel and locale of the answer are left to the caller.
or_problem<storage::template_view> read_template(std::string_view body, channel via,
                                                 const http_settings& limits);
std::string told_template(const storage::template_view& stands);

} // namespace arauto::http
