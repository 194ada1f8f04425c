// The contract as the service itself tells it: the OpenAPI document and the catalogue of problems.
#pragma once

#include "http/request.hpp"

namespace arauto::http {

std::string_view openapi_document();

or_problem<answer> get_openapi(const request& asked, const means& with);
or_problem<answer> get_problem(const request& asked, const means& with);

} // namespace arauto::http
