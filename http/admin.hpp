// What the operators' calls (/v1/admin) have in common. Each of them needs an operator's key; what
// they change is signed with its prefix and the id of the request (storage/audit.hpp).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "http/lists.hpp"
#include "http/problem.hpp"
#include "http/request.hpp"
#include "storage/audit.hpp"

namespace arauto::http {

storage::signature signed_by(const request& asked);

struct admin_page {
  int rows = 50;
  parameters query; // all that was given, the cursor among it
  std::string value(const std::string& name) const;
};

// limit, cursor, and the parameters of this list.
or_problem<admin_page> read_admin_page(const request& asked, std::vector<std::string_view> known);

answer told_json(const nlohmann::ordered_json& what, int status = 200);

// One row more than the page holds was asked for: it says that there is a next one, which begins
// behind the place of the last row that is told.
template <class Row, class Tell, class Place>
answer told_page(const std::vector<Row>& found, const admin_page& page, Tell tell, Place place_of) {
  const auto rows = std::min(found.size(), static_cast<std::size_t>(page.rows));
  nlohmann::ordered_json what = {{"data", nlohmann::ordered_json::array()}, {"next", nullptr}};
  for (std::size_t i = 0; i < rows; ++i)
    what["data"].push_back(tell(found[i]));
  if (rows < found.size()) what["next"] = place_of(found[rows - 1]);
  return told_json(what);
}

const char* fault_of_tenant_id(std::string_view text);
const char* fault_of_label(std::string_view text); // names for people

} // namespace arauto::http
