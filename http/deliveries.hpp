// /v1/notifications/{id}/deliveries/{channel}/resolve: a person says what became of a delivery in
// doubt.
#pragma once

#include <string_view>

#include "http/request.hpp"
#include "storage/deliveries.hpp"

namespace arauto::http {

or_problem<answer> resolve_delivery(const request& asked, const means& with);

// The pure half.
or_problem<storage::resolution> read_resolution(std::string_view body, const http_settings& limits);

} // namespace arauto::http
