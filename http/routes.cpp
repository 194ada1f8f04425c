#include "http/routes.hpp"

#include <algorithm>

#include "http/admin_accounts.hpp"
#include "http/admin_house.hpp"
#include "http/admin_keys.hpp"
#include "http/admin_suppressions.hpp"
#include "http/admin_tenants.hpp"
#include "http/batch.hpp"
#include "http/dead_letters.hpp"
#include "http/deliveries.hpp"
#include "http/devices.hpp"
#include "http/health.hpp"
#include "http/notification_list.hpp"
#include "http/notifications.hpp"
#include "http/openapi.hpp"
#include "http/templates.hpp"
#include "http/usage.hpp"
#include "http/users.hpp"

namespace arauto::http {

namespace {

std::string_view take_segment(std::string_view& rest) {
  const auto end = std::min(rest.find('/'), rest.size());
  const auto segment = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return segment;
}

// Both begin with a slash. The raw texts of the variable segments go to `raw`.
bool matches(std::string_view pattern, std::string_view path, std::vector<std::string_view>& raw) {
  raw.clear();
  const auto slashes = [](std::string_view text) {
    return std::count(text.begin(), text.end(), '/');
  };
  if (slashes(pattern) != slashes(path)) return false;
  pattern.remove_prefix(1);
  path.remove_prefix(1);
  while (!pattern.empty() || !path.empty()) {
    const auto wanted = take_segment(pattern);
    const auto given = take_segment(path);
    if (wanted == "{}") {
      if (given.empty()) return false;
      raw.push_back(given);
    } else if (wanted != given) {
      return false;
    }
  }
  return true;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void allow(std::string& list, std::string_view method) {
  if (!list.empty()) list += ", ";
  list += method;
  if (method == "GET") list += ", HEAD";
}

} // namespace

const std::vector<route>& all_routes() {
  static const std::vector<route> table = {
      {"POST", "/v1/notifications", asks::send, body_rule::json, false, post_notification},
      {"GET", "/v1/notifications", asks::read, body_rule::none, true, list_notifications},
      {"POST", "/v1/notifications/batch", asks::send, body_rule::large, false, post_batch},
      {"GET", "/v1/notifications/{}", asks::read, body_rule::none, false, get_notification},
      {"POST", "/v1/notifications/{}/cancel", asks::send, body_rule::optional, false,
       cancel_notification},
      {"POST", "/v1/notifications/{}/deliveries/{}/replay", asks::admin, body_rule::optional, false,
       replay_delivery},
      {"GET", "/v1/dead-letters", asks::read, body_rule::none, true, list_dead_letters},
      {"POST", "/v1/dead-letters/replay", asks::admin, body_rule::json, false, replay_dead_letters},
      {"POST", "/v1/notifications/{}/deliveries/{}/resolve", asks::admin, body_rule::json, false,
       resolve_delivery},
      {"GET", "/v1/usage", asks::read, body_rule::none, false, get_usage},
      {"PUT", "/v1/users/{}", asks::admin, body_rule::json, false, put_user},
      {"GET", "/v1/users/{}", asks::read, body_rule::none, false, get_user},
      {"DELETE", "/v1/users/{}", asks::admin, body_rule::none, false, delete_user},
      {"PUT", "/v1/users/{}/preferences", asks::preferences, body_rule::json, false,
       put_user_preferences},
      {"GET", "/v1/users/{}/preferences", asks::preferences, body_rule::none, false,
       get_user_preferences},
      {"GET", "/v1/users/{}/devices", asks::read, body_rule::none, false, list_devices},
      {"PUT", "/v1/users/{}/devices/{}", asks::admin, body_rule::json, false, put_device},
      {"DELETE", "/v1/users/{}/devices/{}", asks::admin, body_rule::none, false, delete_device},
      {"PUT", "/v1/templates/{}/{}", asks::admin, body_rule::json, true, put_template},
      {"GET", "/v1/templates/{}/{}", asks::read, body_rule::none, true, get_template},
      {"DELETE", "/v1/templates/{}/{}", asks::admin, body_rule::none, true, delete_template},
      {"POST", "/v1/admin/tenants", asks::house, body_rule::json, false, post_tenant},
      {"GET", "/v1/admin/tenants", asks::house, body_rule::none, true, list_tenants},
      {"GET", "/v1/admin/tenants/{}", asks::house, body_rule::none, false, get_tenant},
      {"PATCH", "/v1/admin/tenants/{}", asks::house, body_rule::json, false, patch_tenant},
      {"GET", "/v1/admin/tenants/{}/limits", asks::house, body_rule::none, false, get_limits},
      {"PUT", "/v1/admin/tenants/{}/limits", asks::house, body_rule::json, false, put_limits},
      {"GET", "/v1/admin/tenants/{}/suppressions", asks::house, body_rule::none, true,
       list_suppressions},
      {"POST", "/v1/admin/tenants/{}/suppressions/lift", asks::house, body_rule::json, false,
       lift_suppression},
      {"GET", "/v1/admin/tenants/{}/accounts", asks::house, body_rule::none, false, list_accounts},
      {"PUT", "/v1/admin/tenants/{}/accounts/{}", asks::house, body_rule::json, true, put_account},
      {"DELETE", "/v1/admin/tenants/{}/accounts/{}", asks::house, body_rule::none, true,
       delete_account},
      {"POST", "/v1/admin/keys", asks::house, body_rule::json, false, post_key},
      {"GET", "/v1/admin/keys", asks::house, body_rule::none, true, list_keys},
      {"DELETE", "/v1/admin/keys/{}", asks::house, body_rule::none, false, delete_key},
      {"GET", "/v1/admin/nodes", asks::house, body_rule::none, false, list_nodes},
      {"GET", "/v1/admin/audit", asks::house, body_rule::none, true, list_audit},
      {"GET", "/healthz", asks::nothing, body_rule::none, true, get_health, true},
      {"GET", "/readyz", asks::nothing, body_rule::none, true, get_readiness, true},
      {"GET", "/metrics", asks::nothing, body_rule::none, true, get_metrics},
      {"GET", "/openapi.json", asks::nothing, body_rule::none, true, get_openapi},
      {"GET", "/problems/{}", asks::nothing, body_rule::none, true, get_problem},
  };
  return table;
}

or_problem<route_found> find_route(const std::vector<route>& table, std::string_view method,
                                   std::string_view path) {
  const auto asked = method == "HEAD" ? std::string_view{"GET"} : method;
  if (path.empty() || path.front() != '/') return refusal(problem_code::not_found);
  std::string allowed;
  std::vector<std::string_view> raw;
  for (std::size_t at = 0; at < table.size(); ++at) {
    if (!matches(table[at].pattern, path, raw)) continue;
    if (table[at].method != asked) {
      allow(allowed, table[at].method);
      continue;
    }
    route_found found{at, {}};
    for (const auto segment : raw) {
      auto name = percent_decoded(segment);
      if (!name) return refusal(problem_code::not_found);
      found.names.push_back(std::move(*name));
    }
    return found;
  }
  if (allowed.empty()) return refusal(problem_code::not_found);
  auto no = refusal(problem_code::method_not_allowed);
  no.allow = std::move(allowed) + ", OPTIONS";
  return no;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

or_problem<std::map<std::string, std::string>>
read_query(std::string_view query, const std::vector<std::string_view>& known) {
  std::map<std::string, std::string> read;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    std::string pair{query.substr(0, end)};
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    std::replace(pair.begin(), pair.end(), '+', ' ');
    const auto equals = std::min(pair.find('='), pair.size());
    const auto name = percent_decoded(std::string_view{pair}.substr(0, equals));
    const auto value =
        percent_decoded(std::string_view{pair}.substr(std::min(equals + 1, pair.size())));
    if (!name || !value)
      return refusal(problem_code::invalid_request, "a query parameter is badly encoded");
    if (std::find(known.begin(), known.end(), *name) == known.end())
      return refusal(problem_code::invalid_request, "a query parameter is not known here");
    if (!read.emplace(*name, *value).second)
      return refusal(problem_code::invalid_request, "a query parameter repeats");
  }
  return read;
}

} // namespace arauto::http
