// Reads the members of a JSON object against a closed list: whatever is unknown, absent or of the
// wrong type becomes an error with its pointer. All of them are collected, so that a client sees
// every mistake at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "http/problem.hpp"
#include "http/settings.hpp"

namespace arauto::http {

enum class need : bool { optional, required };

class members {
public:
  // `of` outlives this. Not an object: one error, and every member reads as absent.
  members(const nlohmann::json& of, std::string at, std::vector<field_error>& errors);

  void only(std::initializer_list<std::string_view> known);

  const nlohmann::json* any(std::string_view name, need how);
  const std::string* text(std::string_view name, need how);
  const nlohmann::json* object(std::string_view name, need how);
  const nlohmann::json* list(std::string_view name, need how);
  std::optional<bool> truth(std::string_view name, need how);
  std::optional<std::int64_t> whole(std::string_view name, need how, std::int64_t least,
                                    std::int64_t most);

  void wrong(std::string_view name, std::string detail); // adds an error about one member
  std::string pointer(std::string_view name) const { return pointer_to(at_, name); }

private:
  const nlohmann::json* of_;
  std::string at_;
  std::vector<field_error>& errors_;
};

// The whole body as JSON within the limits; invalid_json with the place when it is not.
// `around`: levels that stand around what the limit on depth is meant for.
or_problem<nlohmann::json> read_body(std::string_view body, const http_settings& limits,
                                     std::size_t around = 0);

// Rules shared by bodies and paths. Nothing when the text is fine, else what is wrong with it.
const char* fault_of_user_id(std::string_view text);
const char* fault_of_type(std::string_view text);
const char* fault_of_operation_id(std::string_view text);
const char* fault_of_locale(std::string_view text);
const char* fault_of_app(std::string_view text); // of an outlet (storage/model/provider.hpp)

// A member of an answer, where there is something to say.
void set_unless_empty(nlohmann::ordered_json& into, const char* name, const std::string& text);

} // namespace arauto::http
