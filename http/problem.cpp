#include "http/problem.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace arauto::http {

const std::vector<problem_kind>& problem_catalogue() {
  using c = problem_code;
  static const std::vector<problem_kind> catalogue = {
      {c::invalid_request, 400, "invalid-request", "The request does not have the expected shape"},
      {c::invalid_json, 400, "invalid-json", "The body is not acceptable JSON"},
      {c::malformed_http, 400, "malformed-http", "The request breaks the rules of HTTP"},
      {c::operation_id_mismatch, 400, "operation-id-mismatch",
       "Header and body name different operations"},
      {c::unauthorized, 401, "unauthorized", "A valid API key is needed"},
      {c::tenant_stopped, 403, "tenant-stopped", "This tenant is stopped"},
      {c::tenant_key_needed, 403, "tenant-key-needed", "This call needs a tenant's key"},
      {c::operator_key_needed, 403, "operator-key-needed", "This call needs an operator's key"},
      {c::scope_missing, 403, "scope-missing", "The key was not made for this"},
      {c::not_found, 404, "not-found", "There is no such thing"},
      {c::method_not_allowed, 405, "method-not-allowed", "This resource does not know the method"},
      {c::request_timeout, 408, "request-timeout", "The request did not arrive in time"},
      {c::idempotency_conflict, 409, "idempotency-conflict",
       "The operation id was used for another notification"},
      {c::not_in_doubt, 409, "not-in-doubt", "The delivery is not in doubt"},
      {c::not_a_dead_letter, 409, "not-a-dead-letter", "The delivery did not fail for good"},
      {c::delivery_stopped, 409, "delivery-stopped", "The delivery was stopped"},
      {c::notification_erased, 409, "notification-erased", "The notification was erased"},
      {c::delivery_doubtful, 409, "delivery-doubtful", "The provider may have it already"},
      {c::tenant_exists, 409, "tenant-exists", "There is a tenant of this id already"},
      {c::too_many_keys, 409, "too-many-keys", "Two keys of this tenant live already"},
      {c::too_many_devices, 409, "too-many-devices", "Fifty devices of this person live already"},
      {c::sealing_key_missing, 409, "sealing-key-missing", "This node has no key to seal secrets"},
      {c::too_large, 413, "too-large", "The request is too large"},
      {c::target_too_long, 414, "target-too-long", "The target is too long"},
      {c::unsupported_media_type, 415, "unsupported-media-type",
       "The body must be application/json in UTF-8"},
      {c::unsupported_encoding, 415, "unsupported-encoding", "The body must not be compressed"},
      {c::expectation_failed, 417, "expectation-failed", "The expectation cannot be met"},
      {c::unknown_user, 422, "unknown-user", "There is no such user"},
      {c::unknown_channel, 422, "unknown-channel", "There is no such channel"},
      {c::no_template, 422, "no-template", "No template stands for this type and channel"},
      {c::missing_variable, 422, "missing-variable",
       "The template needs a variable that is absent"},
      {c::invalid_time, 422, "invalid-time", "The times do not fit"},
      {c::invalid_address, 422, "invalid-address", "The address cannot be used"},
      {c::invalid_template, 422, "invalid-template", "The template cannot be used"},
      {c::headers_too_large, 431, "headers-too-large", "The header block is too large"},
      {c::internal, 500, "internal", "Something went wrong on our side"},
      {c::transfer_encoding_refused, 501, "transfer-encoding-refused",
       "Send the body with Content-Length"},
      {c::operation_in_progress, 503, "operation-in-progress",
       "Another open transaction holds this operation id"},
      {c::overloaded, 503, "overloaded", "Too much is waiting already"},
      {c::unavailable, 503, "unavailable", "The ledger cannot be reached"},
      {c::stopping, 503, "stopping", "This node is stopping"},
      {c::version_not_supported, 505, "version-not-supported", "Only HTTP/1.0 and HTTP/1.1"},
  };
  return catalogue;
}

const problem_kind& kind_of(problem_code code) {
  return problem_catalogue().at(static_cast<std::size_t>(code));
}

std::string problem_type(const problem_kind& kind) {
  return "/problems/" + std::string{kind.word};
}

problem refusal(problem_code code, std::string detail, std::vector<field_error> errors) {
  problem what;
  what.code = code;
  what.detail = std::move(detail);
  what.errors = std::move(errors);
  return what;
}

problem retry_later(problem_code code, int seconds) {
  auto what = refusal(code);
  what.retry_after_s = seconds;
  return what;
}

problem problem_of(const failure& why) {
  switch (why.code) {
  case errc::not_found: return refusal(problem_code::not_found);
  case errc::bad_input: return refusal(problem_code::invalid_request);
  case errc::no_room: return retry_later(problem_code::overloaded, 1);
  case errc::stopping: return retry_later(problem_code::stopping, 5);
  // Nothing happened, or nobody knows: every call of this API may be sent again as it is.
  case errc::unavailable:
  case errc::commit_in_doubt: return retry_later(problem_code::unavailable, 2);
  case errc::busy:
  case errc::try_again: return retry_later(problem_code::unavailable, 1);
  default: break;
  }
  auto what = refusal(problem_code::internal);
  what.for_log = to_string(why.code) + " " + why.text;
  return what;
}

nlohmann::ordered_json problem_members(const problem& what) {
  const auto& kind = kind_of(what.code);
  nlohmann::ordered_json body;
  body["type"] = problem_type(kind);
  body["title"] = kind.title;
  body["status"] = kind.status;
  if (!what.detail.empty()) body["detail"] = what.detail;
  body["code"] = kind.word;
  for (const auto& error : what.errors)
    body["errors"].push_back({{"pointer", error.pointer}, {"detail", error.detail}});
  return body;
}

std::string problem_body(const problem& what, std::string_view request_id) {
  auto body = problem_members(what);
  body["request_id"] = request_id;
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string pointer_to(std::string_view base, std::string_view member) {
  std::string pointer{base};
  pointer += '/';
  for (const char c : member) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
  return pointer;
}

} // namespace arauto::http
