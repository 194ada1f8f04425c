// /v1/notifications: tell a person, look it up, take it back.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

or_problem<answer> post_notification(const request& asked, const means& with);
or_problem<answer> get_notification(const request& asked, const means& with);
or_problem<answer> find_notification(const std::string& operation, const tenant_id& tenant,
                                     const means& with);
or_problem<answer> cancel_notification(const request& asked, const means& with);

} // namespace arauto::http
