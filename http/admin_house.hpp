// /v1/admin/nodes and /v1/admin/audit: who runs this house, and who changed what in it.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

or_problem<answer> list_nodes(const request& asked, const means& with);
or_problem<answer> list_audit(const request& asked, const means& with);

} // namespace arauto::http
