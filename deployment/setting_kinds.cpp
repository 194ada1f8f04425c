#include "deployment/setting_kinds.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace arauto::deployment {

std::optional<long long> read_whole(const std::string& written) {
  long long number = 0;
  const auto* end = written.data() + written.size();
  const auto [stopped, why] = std::from_chars(written.data(), end, number);
  if (why != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

std::optional<std::chrono::milliseconds> read_duration(const std::string& written) {
  constexpr std::pair<std::string_view, long long> units[] = {
      {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}};
  const auto digits = std::min(written.find_first_not_of("0123456789"), written.size());
  const auto number = read_whole(written.substr(0, digits));
  for (const auto& [unit, factor] : units) {
    if (!number || written.substr(digits) != unit) continue;
    if (*number > std::numeric_limits<std::int32_t>::max())
      return std::nullopt; // no product may overflow
    return std::chrono::milliseconds{*number * factor};
  }
  return std::nullopt;
}

setting text(std::string name, std::string purpose, field_of<std::string> field) {
  return {std::move(name), "a text that is not empty", std::move(purpose), false,
          [field = std::move(field)](settings& into, const std::string& written) {
            field(into) = written;
            return !written.empty();
          }};
}

setting secret(std::string name, std::string purpose, field_of<std::string> field) {
  auto made = text(std::move(name), std::move(purpose), std::move(field));
  made.secret = true;
  return made;
}

setting path(std::string name, std::string purpose, field_of<std::filesystem::path> field) {
  return {std::move(name), "a path", std::move(purpose), false,
          [field = std::move(field)](settings& into, const std::string& written) {
            field(into) = written;
            return !written.empty();
          }};
}

} // namespace arauto::deployment
