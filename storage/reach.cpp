#include "storage/reach.hpp"

#include <algorithm>
#include <set>

namespace arauto::storage {

namespace {

// As the CHECK of arauto.tenant has it, but for the length. What is no such name belongs to nobody,
// and never gets into the text of a statement.
bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

} // namespace

reach reach::of(const tenant_id& one) {
  return reach{"; set local role arauto_tenant; set local arauto.tenant = '"
               + (is_name(one.text) ? one.text : std::string{}) + "'"};
}

reach reach::of(const std::vector<tenant_id>& some) {
  std::set<std::string> names;
  for (const auto& one : some)
    if (is_name(one.text)) names.insert(one.text);
  std::string list;
  for (const auto& name : names)
    list += (list.empty() ? "" : ",") + name;
  return reach{"; set local role arauto_worker; set local arauto.tenants = '{" + list + "}'"};
}

reach reach::house() {
  return reach{"; set local role arauto_steward"};
}

reach reach::owner() {
  return reach{{}};
}

} // namespace arauto::storage
