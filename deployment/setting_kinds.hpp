// How a setting is written, by kind: each maker gives a table row whose `put` reads the text into
// one field.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "deployment/settings.hpp"

namespace arauto::deployment {

template <class Field>
using field_of = std::function<Field&(settings&)>;

std::optional<long long> read_whole(const std::string& written);
std::optional<std::chrono::milliseconds> read_duration(const std::string& written);

setting text(std::string name, std::string purpose, field_of<std::string> field);
setting secret(std::string name, std::string purpose, field_of<std::string> field);
setting path(std::string name, std::string purpose, field_of<std::filesystem::path> field);

template <class Length>
setting duration(std::string name, std::string purpose, field_of<Length> field) {
  return {std::move(name), "a duration of at least 1ms, as 500ms, 30s, 5m or 1h",
          std::move(purpose), false,
          [field = std::move(field)](settings& into, const std::string& written) {
            const auto length = read_duration(written);
            if (!length || length->count() < 1) return false;
            field(into) = std::chrono::duration_cast<Length>(*length);
            return field(into) == *length; // 500ms are no whole number of seconds
          }};
}

template <class Number>
setting whole(std::string name, std::string purpose, long long least, long long most,
              field_of<Number> field) {
  auto kind = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  return {std::move(name), std::move(kind), std::move(purpose), false,
          [least, most, field = std::move(field)](settings& into, const std::string& written) {
            const auto number = read_whole(written);
            if (!number || *number < least || *number > most) return false;
            field(into) = static_cast<Number>(*number);
            return true;
          }};
}

template <class Choice>
setting choice(std::string name, std::string purpose,
               std::vector<std::pair<std::string, Choice>> words, field_of<Choice> field) {
  std::string kind = "one of";
  for (const auto& [word, value] : words)
    kind += " " + word;
  return {std::move(name), std::move(kind), std::move(purpose), false,
          [words = std::move(words), field = std::move(field)](settings& into,
                                                               const std::string& written) {
            for (const auto& [word, value] : words)
              if (word == written) {
                field(into) = value;
                return true;
              }
            return false;
          }};
}

} // namespace arauto::deployment
