// Which resource answers which path: a small table walked in order, segment by segment. A path is
// split before it is decoded, so that an encoded slash never changes what matched.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/problem.hpp"
#include "http/request.hpp"

namespace arauto::http {

enum class body_rule : std::uint8_t {
  none,     // a body is refused
  optional, // JSON, may be absent
  json,     // JSON
  large,    // JSON up to batch_bytes_max; few at a time
};

// Whose key a call asks for. A tenant's needs the scope of that name (model/scope.hpp).
enum class asks : std::uint8_t {
  nothing, // answered without a key
  send,
  read,
  preferences,
  admin,
  house, // an operator's key
};

struct route {
  std::string_view method;
  std::string_view pattern; // {} is one non-empty segment; also the label of metrics
  asks scope = asks::house;
  body_rule body = body_rule::none;
  bool reads_query = false; // false: a query is refused, so that no wish is silently ignored
  or_problem<answer> (*run)(const request&, const means&) = nullptr;
  bool at_once = false; // asks nobody, reads memory only: stands in no line
};

struct route_found {
  std::size_t at = 0; // in the table
  std::vector<std::string> names;
};

// The API's own table.
const std::vector<route>& all_routes();

// not_found, or method_not_allowed with `allow`. HEAD asks for what GET would answer. OPTIONS is
// allowed everywhere and found nowhere: `allow` is its whole answer.
or_problem<route_found> find_route(const std::vector<route>& table, std::string_view method,
                                   std::string_view path);

// Nothing when an escape is broken.
std::optional<std::string> percent_decoded(std::string_view text);

// Parameters of a query by name (form encoding: + is a blank). Unknown, repeated and broken ones
// are refused.
or_problem<std::map<std::string, std::string>>
read_query(std::string_view query, const std::vector<std::string_view>& known);

} // namespace arauto::http
