// What the API says when it says no: one catalogue of stable codes, written as RFC 9457
// problem+json. A detail is a fixed sentence or names what the client sent by its place (a JSON
// pointer); it never quotes the input, a provider or the database.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "storage/model/errc.hpp"

namespace arauto::http {

enum class problem_code : std::uint8_t {
  invalid_request,
  invalid_json,
  malformed_http,
  operation_id_mismatch,
  unauthorized,
  tenant_stopped,
  tenant_key_needed,
  operator_key_needed,
  scope_missing,
  not_found,
  method_not_allowed,
  request_timeout,
  idempotency_conflict,
  not_in_doubt,
  not_a_dead_letter,
  delivery_stopped,
  notification_erased,
  delivery_doubtful,
  tenant_exists,
  too_many_keys,
  too_many_devices,
  sealing_key_missing,
  too_large,
  target_too_long,
  unsupported_media_type,
  unsupported_encoding,
  expectation_failed,
  unknown_user,
  unknown_channel,
  no_template,
  missing_variable,
  invalid_time,
  invalid_address,
  invalid_template,
  headers_too_large,
  internal,
  transfer_encoding_refused,
  operation_in_progress,
  overloaded,
  unavailable,
  stopping,
  version_not_supported,
};

struct problem_kind {
  problem_code code;
  int status;
  std::string_view word; // stable; part of the API
  std::string_view title;
};

// The whole catalogue, in the order of the enumeration.
const std::vector<problem_kind>& problem_catalogue();
const problem_kind& kind_of(problem_code code);
// The `type` of a problem: a path of this service, which tells the kind.
std::string problem_type(const problem_kind& kind);

struct field_error {
  std::string pointer; // RFC 6901 into the body; empty: the whole document
  std::string detail;
};

struct problem {
  problem_code code = problem_code::internal;
  std::string detail;
  std::vector<field_error> errors;
  int retry_after_s = 0; // 0: no Retry-After
  std::string allow;     // of a 405
  std::string for_log;   // never told
};

problem refusal(problem_code code, std::string detail = {}, std::vector<field_error> errors = {});
problem retry_later(problem_code code, int seconds);

template <class T>
using or_problem = std::variant<T, problem>;

// How a failure of the floors below is told. Its text stays here: it is for the log.
problem problem_of(const failure& why);

// Without the request id.
nlohmann::ordered_json problem_members(const problem& what);
std::string problem_body(const problem& what, std::string_view request_id);

// `/a~1b` for the member `a/b` under `base`.
std::string pointer_to(std::string_view base, std::string_view member);

} // namespace arauto::http
