// The log: JSON lines on stderr, one event a line, a stable name and ids and numbers. No people:
// addresses, tokens and variables have no way in (fields take ids, words and numbers; callers pass
// nothing a tenant or provider wrote).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace arauto::log {

class field {
public:
  field(std::string_view name, std::string_view value);
  field(std::string_view name, const char* value) : field{name, std::string_view{value}} {}
  field(std::string_view name, const std::string& value) : field{name, std::string_view{value}} {}
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  field(std::string_view name, N value) : text{head(name) + std::to_string(value)} {}
  std::string text; // "name":value, ready

private:
  static std::string head(std::string_view name);
};

enum class level : std::uint8_t { debug, info, warn, error };

void start(level least); // once, in main; before it nothing is written
void write(level at, std::string_view event, std::initializer_list<field> fields);

inline void debug(std::string_view event, std::initializer_list<field> fields) {
  write(level::debug, event, fields);
}
inline void info(std::string_view event, std::initializer_list<field> fields) {
  write(level::info, event, fields);
}
inline void warn(std::string_view event, std::initializer_list<field> fields) {
  write(level::warn, event, fields);
}
inline void error(std::string_view event, std::initializer_list<field> fields) {
  write(level::error, event, fields);
}

} // namespace arauto::log
