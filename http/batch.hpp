// POST /v1/notifications/batch: many at once, each on its own.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

or_problem<answer> post_batch(const request& asked, const means& with);

} // namespace arauto::http
