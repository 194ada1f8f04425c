#include "http/admin.hpp"

#include <algorithm>

#include "http/routes.hpp"
#include "storage/model/text.hpp"

namespace arauto::http {

storage::signature signed_by(const request& asked) {
  return {"key:" + asked.key, asked.id};
}

std::string admin_page::value(const std::string& name) const {
  const auto at = query.find(name);
  return at == query.end() ? std::string{} : at->second;
}

or_problem<admin_page> read_admin_page(const request& asked, std::vector<std::string_view> known) {
  known.insert(known.end(), {"limit", "cursor"});
  auto read = read_query(asked.query, known);
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  admin_page page;
  page.query = std::get<0>(std::move(read));
  if (page.query.count("limit") != 0)
    if (const char* fault = read_page_rows(page.value("limit"), page.rows))
      return wrong_parameter("limit", fault);
  return page;
}

answer told_json(const nlohmann::ordered_json& what, int status) {
  answer told;
  told.status = status;
  told.body = what.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return told;
}

const char* fault_of_tenant_id(std::string_view text) {
  const auto is_plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  const bool fits =
      !text.empty() && text.size() <= 63 && is_plain(text.front())
      && std::all_of(text.begin(), text.end(), [&](char c) { return c == '-' || is_plain(c); });
  return fits ? nullptr : "1 to 63 characters of a-z 0-9 - are expected, such as acme";
}

const char* fault_of_label(std::string_view text) {
  if (text.empty() || text.size() > 100) return "1 to 100 bytes are expected";
  if (!is_utf8(text)) return "this is not UTF-8";
  if (has_control(text)) return "control characters are not allowed";
  return nullptr;
}

} // namespace arauto::http
