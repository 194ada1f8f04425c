// What a balancer and an operator's monitoring ask. No key, no personal data.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

or_problem<answer> get_health(const request& asked, const means& with);    // the process lives
or_problem<answer> get_readiness(const request& asked, const means& with); // this node can accept
or_problem<answer> get_metrics(const request& asked, const means& with);

} // namespace arauto::http
