// /v1/admin/tenants: who may use this house, and what is narrower for one of them.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

or_problem<answer> post_tenant(const request& asked, const means& with);
or_problem<answer> list_tenants(const request& asked, const means& with);
or_problem<answer> get_tenant(const request& asked, const means& with);
or_problem<answer> patch_tenant(const request& asked, const means& with);
or_problem<answer> get_limits(const request& asked, const means& with);
or_problem<answer> put_limits(const request& asked, const means& with);

} // namespace arauto::http
