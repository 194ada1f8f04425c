// /v1/admin/tenants/{}/accounts: a tenant's own accounts at providers. What is secret in one comes
// in here, is sealed, and is never told again; what is told is what it was given besides.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

or_problem<answer> list_accounts(const request& asked, const means& with);
or_problem<answer> put_account(const request& asked, const means& with);
or_problem<answer> delete_account(const request& asked, const means& with);

} // namespace arauto::http
