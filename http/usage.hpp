// GET /v1/usage: what a tenant has waiting, what it used today, and the limits that hold.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

or_problem<answer> get_usage(const request& asked, const means& with);

} // namespace arauto::http
