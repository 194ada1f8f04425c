#include "actors/channels/fcm_outcome.hpp"

#include <algorithm>

namespace arauto::channels {

namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr seconds quota_wait{60}; // what Firebase asks of those it gave no header
constexpr seconds trouble_wait{10};

struct fcm_error {
  std::string code;    // FcmError.errorCode
  std::string status;  // of google.rpc.Status
  std::string message; // for people
  bool has_violations = false;
  bool blames_token_only = false; // each violation is about message.token
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.npos, end) == 0;
}

void read_detail(const json& detail, fcm_error& into) {
  const auto type = text_in(detail, "@type");
  if (ends_with(type, "google.firebase.fcm.v1.FcmError")) into.code = text_in(detail, "errorCode");
  if (!ends_with(type, "google.rpc.BadRequest") || !detail.contains("fieldViolations")) return;
  const auto& violations = detail["fieldViolations"];
  if (!violations.is_array() || violations.empty()) return;
  into.has_violations = true;
  into.blames_token_only = std::all_of(violations.begin(), violations.end(), [](const json& each) {
    return text_in(each, "field") == "message.token";
  });
}

fcm_error error_in(const http_answer& said) {
  fcm_error read;
  const auto body = json_in(said);
  if (!body.is_object() || !body.contains("error") || !body["error"].is_object()) return read;
  const auto& error = body["error"];
  read.status = text_in(error, "status");
  read.message = text_in(error, "message");
  if (error.contains("details") && error["details"].is_array())
    for (const auto& detail : error["details"])
      read_detail(detail, read);
  return read;
}

// INVALID_ARGUMENT is said of tokens and of payloads; a token is ended only when it is named.
bool blames_token(const fcm_error& why) {
  if (why.code != "INVALID_ARGUMENT") return false;
  if (why.has_violations) return why.blames_token_only;
  return lower(why.message).find("token") != std::string::npos;
}

// Firebase's own credential for one platform behind it; the others are not to wait for it.
outcome of_third_party(const http_answer& said) {
  auto made = later(said, "third_party_auth", quota_wait);
  made.only_this_target = true;
  return made;
}

outcome judged(const http_answer& said, const fcm_error& why) {
  switch (said.status) {
  case 400:
    return blames_token(why) ? answered_with(said, verdict::bad_address, "bad_token")
                             : answered_with(said, verdict::refused, "payload_refused");
  case 401:
    if (why.code == "THIRD_PARTY_AUTH_ERROR") return of_third_party(said);
    return answered_with(said, verdict::account_refused, "unauthenticated");
  case 403:
    return why.code == "SENDER_ID_MISMATCH"
               ? answered_with(said, verdict::bad_address, "sender_mismatch")
               : answered_with(said, verdict::account_refused, "permission_denied");
  case 404:
    return why.code == "UNREGISTERED"
               ? answered_with(said, verdict::bad_address, "unregistered")
               : answered_with(said, verdict::account_refused, "project_not_found");
  case 413: return answered_with(said, verdict::refused, "too_large");
  case 429: {
    auto made = later(said, "quota_exceeded", quota_wait);
    made.slows_account = true;
    return made;
  }
  default: break;
  }
  if (said.status >= 500) {
    auto made = later(said, said.status == 503 ? "unavailable" : "internal_error", trouble_wait);
    made.slows_account = said.retry_after.count() > 0;
    return made;
  }
  if (said.status >= 400) return answered_with(said, verdict::refused, "payload_refused");
  if (said.status >= 300) return answered_with(said, verdict::refused, "redirected");
  return answered_with(said, verdict::unknown, "odd_answer");
}

} // namespace

outcome outcome_of_fcm(const http_answer& said) {
  if (said.came_to != http_answer::end::answered) return outcome_of_end(said);
  if (said.status == 200) {
    auto made = answered_with(said, verdict::accepted, "");
    made.retry_after = {};
    made.provider_ref = text_in(json_in(said), "name").substr(0, 200);
    return made;
  }
  const auto why = error_in(said);
  auto made = judged(said, why);
  const auto& word = why.code.empty() ? why.status : why.code;
  made.detail = kept_words(word.empty() ? why.message : word + ": " + why.message);
  return made;
}

bool wants_fresh_token(const http_answer& said) {
  return said.came_to == http_answer::end::answered && said.status == 401
         && error_in(said).code != "THIRD_PARTY_AUTH_ERROR";
}

} // namespace arauto::channels
