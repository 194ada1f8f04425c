#include "http/members.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "storage/model/json.hpp"
#include "storage/model/text.hpp"

namespace arauto::http {

namespace {

constexpr std::size_t errors_max = 32;         // told of one object
constexpr std::size_t values_of_item_max = 16; // a notification with all it may say has 11

} // namespace

members::members(const nlohmann::json& of, std::string at, std::vector<field_error>& errors)
    : of_{of.is_object() ? &of : nullptr}, at_{std::move(at)}, errors_{errors} {
  if (of_ == nullptr) errors_.push_back({at_, "an object is expected"});
}

void members::only(std::initializer_list<std::string_view> known) {
  if (of_ == nullptr) return;
  for (auto at = of_->begin(); at != of_->end(); ++at)
    if (std::find(known.begin(), known.end(), at.key()) == known.end())
      wrong(at.key(), "this member is not known");
}

const nlohmann::json* members::any(std::string_view name, need how) {
  if (of_ == nullptr) return nullptr;
  const auto at = of_->find(name);
  if (at != of_->end()) return &*at;
  if (how == need::required) wrong(name, "this member is needed");
  return nullptr;
}

const std::string* members::text(std::string_view name, need how) {
  const auto* found = any(name, how);
  if (found == nullptr) return nullptr;
  if (!found->is_string()) wrong(name, "a string is expected");
  return found->get_ptr<const std::string*>();
}

const nlohmann::json* members::object(std::string_view name, need how) {
  const auto* found = any(name, how);
  if (found == nullptr || found->is_object()) return found;
  wrong(name, "an object is expected");
  return nullptr;
}

const nlohmann::json* members::list(std::string_view name, need how) {
  const auto* found = any(name, how);
  if (found == nullptr || found->is_array()) return found;
  wrong(name, "a list is expected");
  return nullptr;
}

std::optional<bool> members::truth(std::string_view name, need how) {
  const auto* found = any(name, how);
  if (found == nullptr) return std::nullopt;
  if (found->is_boolean()) return found->get<bool>();
  wrong(name, "true or false is expected");
  return std::nullopt;
}

std::optional<std::int64_t> members::whole(std::string_view name, need how, std::int64_t least,
                                           std::int64_t most) {
  const auto* found = any(name, how);
  if (found == nullptr) return std::nullopt;
  const bool fits = found->is_number_unsigned()
                        ? found->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)
                        : found->is_number_integer();
  if (fits && found->get<std::int64_t>() >= least && found->get<std::int64_t>() <= most)
    return found->get<std::int64_t>();
  wrong(name, "a whole number from " + std::to_string(least) + " to " + std::to_string(most)
                  + " is expected");
  return std::nullopt;
}

void members::wrong(std::string_view name, std::string detail) {
  if (errors_.size() < errors_max) errors_.push_back({pointer(name), std::move(detail)});
}

void set_unless_empty(nlohmann::ordered_json& into, const char* name, const std::string& text) {
  if (!text.empty()) into[name] = text;
}

or_problem<nlohmann::json> read_body(std::string_view body, const http_settings& limits,
                                     std::size_t around) {
  json_limits door;
  door.depth_max = limits.depth_max + around;
  door.variables_bytes_max = limits.variables_bytes_max;
  // What stands around is a list of so many notifications.
  if (around > 0) door.values_max = around + limits.batch_items_max * values_of_item_max;
  auto read = parse_json(body, door);
  if (read.good) return std::move(read.root);
  return refusal(problem_code::invalid_json, {}, {{read.problem.pointer, read.problem.what}});
}

const char* fault_of_user_id(std::string_view text) {
  if (text.empty() || text.size() > 255) return "1 to 255 bytes are expected";
  if (!is_utf8(text)) return "this is not UTF-8";
  if (has_control(text)) return "control characters are not allowed";
  return nullptr;
}

const char* fault_of_type(std::string_view text) {
  const bool fits =
      !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
               || c == '.' || c == '_' || c == ':' || c == '-';
      });
  return fits ? nullptr : "1 to 128 characters of A-Z a-z 0-9 . _ : - are expected";
}

const char* fault_of_operation_id(std::string_view text) {
  if (const char* fault = fault_of_user_id(text)) return fault;
  if (text.find_first_not_of(' ') == std::string_view::npos) return "blanks alone are not a name";
  return nullptr;
}

const char* fault_of_app(std::string_view text) {
  if (text.size() > 255) return "at most 255 bytes are expected";
  if (has_control(text)) return "control characters are not allowed";
  return nullptr;
}

const char* fault_of_locale(std::string_view text) {
  const bool fits = text.size() >= 2 && text.size() <= 35 && text.front() != '-'
                    && text.back() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
                         return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')
                                || (c >= 'a' && c <= 'z') || c == '-';
                       });
  return fits ? nullptr : "a language tag such as pt-BR is expected";
}

} // namespace arauto::http
