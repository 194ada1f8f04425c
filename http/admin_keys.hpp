// /v1/admin/keys: keys of tenants are made, listed and ended here. Operators' own are made on the
// machine only (arauto key create --operator), so that a stolen one cannot make itself lasting.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

or_problem<answer> post_key(const request& asked, const means& with);
or_problem<answer> list_keys(const request& asked, const means& with);
or_problem<answer> delete_key(const request& asked, const means& with);

} // namespace arauto::http
