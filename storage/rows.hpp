// Reading rows, for the .cpp files of this folder only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <pqxx/pqxx>

#include "storage/events.hpp"
#include "storage/model/channel.hpp"
#include "storage/model/doubt.hpp"
#include "storage/model/provider.hpp"
#include "storage/tenants.hpp"

namespace arauto::storage {

inline std::string text(const pqxx::field& f) {
  return f.is_null() ? std::string{} : std::string{f.c_str(), f.size()};
}

// Our own spelling comes back from our own CHECKed columns; anything else is a broken database and
// says so.
inline channel via_of(const pqxx::field& f) {
  return channel_spelled(f.c_str()).value();
}

// As arauto.outlets_due gives them; e-mail has one, whatever stands there.
inline std::vector<outlet> read_outlets(channel via, const pqxx::field& f) {
  if (via == channel::email) return {outlet{}};
  std::vector<outlet> outlets;
  if (f.is_null()) return outlets;
  for (const auto& one : nlohmann::json::parse(f.c_str()))
    outlets.push_back(outlet_spelled(one.get<std::string>()).value());
  return outlets;
}

// The columns doubt_rule, doubt_after_ms, doubt_resends of a template.
inline doubt_choice read_doubt(const pqxx::row& row) {
  doubt_choice choice;
  choice.given = !row["doubt_rule"].is_null();
  if (choice.given)
    choice.policy = {doubt_rule_spelled(row["doubt_rule"].c_str()).value(),
                     std::chrono::milliseconds{row["doubt_after_ms"].as<std::int64_t>()},
                     row["doubt_resends"].as<int>()};
  return choice;
}

inline std::optional<std::string> or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>{text};
}

inline nlohmann::json json_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json{} : nlohmann::json(text);
}

inline std::string dumped(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

inline nlohmann::json spelled_list(const std::vector<channel>& channels) {
  auto list = nlohmann::json::array();
  for (auto via : channels)
    list.push_back(to_string(via));
  return list;
}

// A text[] parameter; our channel names need no quoting.
inline std::string text_array(const std::vector<channel>& channels) {
  std::string list = "{";
  for (auto via : channels) {
    if (list.size() > 1) list += ',';
    list += spelled(via);
  }
  return list + "}";
}

// The same of words that need none either.
inline std::string text_array(const std::vector<std::string>& words) {
  std::string list = "{";
  for (const auto& word : words) {
    if (list.size() > 1) list += ',';
    list += word;
  }
  return list + "}";
}

inline std::optional<int> number_or_none(const pqxx::field& f) {
  return f.is_null() ? std::nullopt : std::optional<int>{f.as<int>()};
}

inline tenant_limits read_limits(const pqxx::row& row) {
  return {number_or_none(row["body_bytes_max"]), number_or_none(row["variables_bytes_max"])};
}

// Rows of stop_event and stop_user.
inline std::vector<stop_view> read_stops(const pqxx::result& rows) {
  std::vector<stop_view> stops;
  for (const auto& row : rows)
    stops.push_back({{text(row[0])}, via_of(row[1]), text(row[2])});
  return stops;
}

} // namespace arauto::storage
