#include "actors/channels/apns_outcome.hpp"

#include "storage/model/text.hpp"

namespace arauto::channels {

namespace {

using std::chrono::seconds;

constexpr seconds busy_wait{10};
constexpr seconds updates_wait{60};
constexpr std::int64_t last_second = 100'000'000'000; // a larger number counts milliseconds

std::int64_t time_in(const nlohmann::json& body) {
  if (!body.is_object() || !body.contains("timestamp")) return 0;
  const auto& time = body["timestamp"];
  if (!time.is_number_integer() || time.get<std::int64_t>() < 0) return 0;
  const auto number = time.get<std::int64_t>();
  return number > last_second ? number : number * 1'000;
}

outcome of_bad_request(const http_answer& said, const std::string& reason) {
  const auto refused = [&](const char* cause) {
    return answered_with(said, verdict::refused, cause);
  };
  if (reason == "BadDeviceToken") return answered_with(said, verdict::bad_address, "bad_token");
  if (reason == "IdleTimeout") return later(said, "idle_timeout", seconds{0});
  if (reason == "DeviceTokenNotForTopic") return refused("token_not_for_topic");
  if (reason == "BadTopic" || reason == "MissingTopic" || reason == "TopicDisallowed")
    return refused("topic_refused");
  return refused("payload_refused");
}

outcome of_too_many(const http_answer& said, const std::string& reason) {
  if (reason != "TooManyProviderTokenUpdates") // the others are about one device
    return later(said, "too_many_requests", seconds{0});
  auto made = answered_with(said, verdict::account_refused, "too_many_token_updates");
  if (made.retry_after.count() == 0) made.retry_after = updates_wait;
  made.slows_account = true;
  return made;
}

outcome judged(const http_answer& said, const std::string& reason) {
  switch (said.status) {
  case 400: return of_bad_request(said, reason);
  case 403:
    return answered_with(said, verdict::account_refused,
                         reason == "ExpiredProviderToken" ? "token_expired" : "credential_refused");
  case 410: {
    auto made = answered_with(said, verdict::bad_address, "unregistered");
    made.ended_at_ms = time_in(json_in(said));
    return made;
  }
  case 413: return answered_with(said, verdict::refused, "too_large");
  case 429: return of_too_many(said, reason);
  default: break;
  }
  if (said.status >= 500)
    return later(said, said.status == 503 ? "unavailable" : "internal_error", busy_wait);
  if (said.status >= 400) return answered_with(said, verdict::refused, "payload_refused");
  if (said.status >= 300) return answered_with(said, verdict::refused, "redirected");
  return answered_with(said, verdict::unknown, "odd_answer");
}

} // namespace

outcome outcome_of_apns(const http_answer& said) {
  if (said.came_to != http_answer::end::answered) return outcome_of_end(said);
  if (said.status == 200) {
    auto made = answered_with(said, verdict::accepted, "");
    made.retry_after = {};
    made.provider_ref = mended_utf8(said.header("apns-id"), 200);
    return made;
  }
  const auto reason = text_in(json_in(said), "reason");
  auto made = judged(said, reason);
  made.detail = kept_words(reason);
  return made;
}

bool wants_new_jwt(const http_answer& said) {
  return said.came_to == http_answer::end::answered && said.status == 403
         && text_in(json_in(said), "reason") == "ExpiredProviderToken";
}

} // namespace arauto::channels
