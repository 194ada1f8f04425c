// What lists have in common: parameters of a query, and ids inside cursors. Pure. A cursor names a
// place in the order, by the keys of the row there; never a number of rows, so that what comes and
// goes meanwhile moves nothing. It holds for any filter.
#pragma once

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "http/problem.hpp"

namespace arauto::http {

constexpr int page_max = 100;
constexpr const char* foreign_cursor = "this is not one we gave";

using parameters = std::map<std::string, std::string>;

// Each gives what is wrong with a text.
const char* read_when(const std::string& text, std::string& into);
const char* read_page_rows(const std::string& text, int& into);

// The refusal of one parameter.
problem wrong_parameter(std::string_view name, std::string_view fault);

template <class Number>
std::optional<Number> read_number(std::string_view text, int base) {
  Number number{};
  const auto* end = text.data() + text.size();
  const auto [at, fault] = std::from_chars(text.data(), end, number, base);
  if (fault != std::errc{} || at != end) return std::nullopt;
  return number;
}

// A UUID as 32 digits, and back.
std::string packed_id(std::string id);
std::optional<std::string> unpacked_id(std::string_view digits);

} // namespace arauto::http
