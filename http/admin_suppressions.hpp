// /v1/admin/tenants/{}/suppressions: addresses a provider refused for good. An address comes in a
// body and goes nowhere else; what is listed is its digest.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

or_problem<answer> list_suppressions(const request& asked, const means& with);
or_problem<answer> lift_suppression(const request& asked, const means& with);

} // namespace arauto::http
