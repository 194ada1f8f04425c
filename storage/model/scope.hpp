// What a key may be used for. A tenant's key has one or more of four scopes, none of which holds
// another; an operator's key has none of them, and opens the house's own doors only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace arauto {

enum class scope : std::uint8_t {
  send,        // ask for notifications, cancel them
  read,        // see notifications, dead letters, people, templates
  preferences, // see and change what people want to be told
  admin,       // people, templates, a person's word on deliveries
};

inline constexpr scope all_scopes[] = {scope::send, scope::read, scope::preferences, scope::admin};

constexpr std::string_view spelled(scope what) {
  switch (what) {
  case scope::send: return "send";
  case scope::read: return "read";
  case scope::preferences: return "preferences";
  case scope::admin: return "admin";
  }
  return "unknown";
}

inline std::string to_string(scope what) {
  return std::string{spelled(what)};
}

constexpr std::optional<scope> scope_spelled(std::string_view word) {
  for (auto each : all_scopes)
    if (spelled(each) == word) return each;
  return std::nullopt;
}

// A small set of them.
class scopes {
public:
  constexpr scopes() = default;
  constexpr void add(scope what) { bits_ = static_cast<std::uint8_t>(bits_ | bit(what)); }
  constexpr bool has(scope what) const { return (bits_ & bit(what)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  static constexpr scopes all() {
    scopes every;
    for (auto each : all_scopes)
      every.add(each);
    return every;
  }

private:
  static constexpr std::uint8_t bit(scope what) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(what));
  }
  std::uint8_t bits_ = 0;
};

// "send,read"; nothing when a word is no scope. Blanks are no part of it.
inline std::optional<scopes> scopes_spelled(std::string_view list) {
  scopes read;
  while (!list.empty()) {
    const auto end = list.find(',') == std::string_view::npos ? list.size() : list.find(',');
    const auto word = scope_spelled(list.substr(0, end));
    if (!word || end + 1 == list.size()) return std::nullopt;
    read.add(*word);
    list.remove_prefix(end == list.size() ? end : end + 1);
  }
  return read;
}

inline std::string to_string(const scopes& what) {
  std::string list;
  for (auto each : all_scopes)
    if (what.has(each)) list += (list.empty() ? "" : ",") + to_string(each);
  return list;
}

} // namespace arauto
