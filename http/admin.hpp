// What the operators' calls (/v1/admin) have in common. Each of them needs an operator's key; what
// they change is signed with its prefix and the id of the request (storage/audit.hpp).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "http/problem.hpp"
#include "http/request.hpp"
#include "storage/audit.hpp"

namespace arauto::http {

storage::signature signed_by(const request& asked);

struct admin_page {
  int rows = 50;
  std::map<std::string, std::string> query; // all that was given, the cursor among it
  std::string value(const std::string& name) const;
};

// limit, cursor, and the parameters of this list.
or_problem<admin_page> read_admin_page(const request& asked, std::vector<std::string_view> known);

answer told_json(const nlohmann::ordered_json& what, int status = 200);

const char* fault_of_tenant_id(std::string_view text);
const char* fault_of_label(std::string_view text); // names for people

} // namespace arauto::http
