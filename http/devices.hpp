// /v1/users/{}/devices: where a person's pushes go. A token is as secret as an address: it comes in
// here and is never told again.
#pragma once

#include <string>
#include <string_view>

#include "http/request.hpp"
#include "storage/devices.hpp"

namespace arauto::http {

or_problem<answer> put_device(const request& asked, const means& with);
or_problem<answer> list_devices(const request& asked, const means& with);
or_problem<answer> delete_device(const request& asked, const means& with);

// The pure halves. A token of APNs is told in lower case, so that one token has one spelling.
or_problem<storage::device> read_device(std::string_view body, const http_settings& limits);
std::string told_devices(const std::vector<storage::device_view>& all);

} // namespace arauto::http
