#include "actors/channels/field_reader.hpp"

#include <algorithm>
#include <utility>

#include "storage/model/text.hpp"

namespace arauto::channels {

namespace {

constexpr std::size_t pem_bytes_max = 16'384;
constexpr std::size_t address_bytes_max = 2'048;

std::string escaped(std::string name) { // RFC 6901 3
  for (std::size_t at = 0; at < name.size(); ++at)
    if (name[at] == '~' || name[at] == '/')
      name.replace(at, 1, name[at] == '~' ? "~0" : "~1"), ++at;
  return name;
}

bool is_address(std::string_view text) {
  for (const auto scheme : {std::string_view{"https://"}, std::string_view{"http://"}}) {
    if (text.substr(0, scheme.size()) != scheme) continue;
    text.remove_prefix(scheme.size());
    return !text.empty() && text.front() != '/' && text.front() != ':'
           && std::all_of(text.begin(), text.end(), [](char c) {
                return c > ' ' && c < '\x7F'
                       && std::string_view{"@?#\\\"<>"}.find(c) == std::string_view::npos;
              });
  }
  return false;
}

} // namespace

field_reader::field_reader(const nlohmann::json& of, std::string pointer,
                           std::vector<account_fault>& faults)
    : of_(of.is_object() ? of : nlohmann::json::object()), // braces would make a list of one
      pointer_{std::move(pointer)},
      faults_{faults} {
  if (!of.is_object() && !of.is_null()) faults_.push_back({pointer_, "must be an object"});
}

void field_reader::object(const std::string& name, const std::string& what) {
  faults_.push_back({pointer_ + "/" + escaped(name), what});
}

const nlohmann::json* field_reader::found(const std::string& name, need wanted) {
  asked_.insert(name);
  const auto at = of_.find(name);
  if (at != of_.end() && !at->is_null()) return &*at;
  if (wanted == need::must) object(name, "is needed");
  return nullptr;
}

const nlohmann::json& field_reader::member(const std::string& name) {
  static const nlohmann::json none;
  const auto* value = found(name, need::must);
  return value == nullptr ? none : *value;
}

std::string field_reader::line(const std::string& name, need wanted, std::size_t bytes_max) {
  const auto* value = found(name, wanted);
  if (value == nullptr) return "";
  const auto* text = value->get_ptr<const std::string*>();
  std::string why;
  if (text == nullptr)
    why = "must be a string";
  else if (text->empty() && wanted == need::must)
    why = "must not be empty";
  else if (text->size() > bytes_max)
    why = "has more than " + std::to_string(bytes_max) + " bytes";
  else if (!is_utf8(*text) || has_control(*text))
    why = "must be one line without control characters";
  if (!why.empty()) return object(name, why), "";
  keep(name, *text);
  return *text;
}

std::string field_reader::lines(const std::string& name, need wanted) {
  const auto* value = found(name, wanted);
  if (value == nullptr) return "";
  const auto* text = value->get_ptr<const std::string*>();
  if (text == nullptr || text->empty() || text->size() > pem_bytes_max || !is_utf8(*text))
    return object(name, "must be the text of a key file, of at most 16384 bytes"), "";
  keep(name, *text);
  return *text;
}

std::string field_reader::word(const std::string& name, std::initializer_list<std::string_view> of,
                               std::string_view otherwise) {
  const auto* value = found(name, need::may);
  if (value == nullptr) return std::string{otherwise};
  const auto* text = value->get_ptr<const std::string*>();
  if (text != nullptr && std::find(of.begin(), of.end(), *text) != of.end()) {
    keep(name, *text);
    return *text;
  }
  std::string known;
  for (const auto each : of)
    known.append(known.empty() ? "" : ", ").append(each);
  object(name, "must be one of " + known);
  return std::string{otherwise};
}

std::int64_t field_reader::number(const std::string& name, std::int64_t least, std::int64_t most,
                                  std::int64_t otherwise) {
  const auto* value = found(name, need::may);
  if (value == nullptr) return otherwise;
  const auto fits = value->is_number_integer()
                    && !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX)
                    && value->get<std::int64_t>() >= least && value->get<std::int64_t>() <= most;
  if (!fits) {
    object(name,
           "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return otherwise;
  }
  keep(name, *value);
  return value->get<std::int64_t>();
}

bool field_reader::flag(const std::string& name, bool otherwise) {
  const auto* value = found(name, need::may);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) return object(name, "must be true or false"), otherwise;
  keep(name, *value);
  return value->get<bool>();
}

std::string field_reader::address(const std::string& name, need wanted) {
  auto text = line(name, wanted, address_bytes_max);
  if (text.empty()) return "";
  while (text.back() == '/')
    text.pop_back();
  if (!is_address(text)) {
    object(name, "must be an address with http or https, without user, query and fragment");
    return "";
  }
  keep(name, text);
  return text;
}

nlohmann::json field_reader::end() {
  for (const auto& [name, value] : of_.items())
    if (asked_.count(name) == 0) object(name, "is not known");
  return std::move(kept_);
}

} // namespace arauto::channels
