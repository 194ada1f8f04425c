#include "actors/channels/web_push_outcome.hpp"

#include <algorithm>
#include <array>

#include "storage/model/text.hpp"

namespace arauto::channels {

namespace {

using std::chrono::seconds;

constexpr seconds busy_wait{60};
constexpr seconds trouble_wait{10};

outcome of_end(const http_answer& said) {
  auto made = outcome_of_end(said);
  if (made.said == verdict::unknown) return made;
  // What is ours, and no fault of the host.
  static constexpr std::array<std::string_view, 3> ours{"trust_ended", "stopping",
                                                        "refused_stream"};
  if (std::find(ours.begin(), ours.end(), said.cause) != ours.end()) return made;
  made.said = said.cause == "endpoint_refused" ? verdict::refused : verdict::refused_for_now;
  return made;
}

outcome judged(const http_answer& said, bool trusted) {
  switch (said.status) {
  case 200:
  case 201:
  case 202: {
    auto made = answered_with(said, verdict::accepted, "");
    made.retry_after = {};
    const auto where = said.header("location");
    if (where.size() <= 200) made.provider_ref = mended_utf8(where, 200);
    return made;
  }
  case 401:
  case 403:
    return trusted ? answered_with(said, verdict::account_refused, "vapid_refused")
                   : later(said, "vapid_refused", busy_wait);
  case 404:
  case 410: return answered_with(said, verdict::bad_address, "subscription_gone");
  case 413: return answered_with(said, verdict::refused, "too_large");
  case 429: return later(said, "host_busy", busy_wait);
  default: break;
  }
  if (said.status >= 500)
    return later(said, said.status == 503 ? "unavailable" : "internal_error", trouble_wait);
  if (said.status >= 400) return answered_with(said, verdict::refused, "payload_refused");
  if (said.status >= 300) return answered_with(said, verdict::refused, "redirected");
  return answered_with(said, verdict::unknown, "odd_answer");
}

} // namespace

outcome outcome_of_web_push(const http_answer& said, bool trusted) {
  auto made = said.came_to == http_answer::end::answered ? judged(said, trusted) : of_end(said);
  made.only_this_target = !trusted || made.said == verdict::refused_for_now;
  return made;
}

bool is_known_push_service(const std::string& origin) {
  static constexpr std::array<std::string_view, 5> services{
      "https://fcm.googleapis.com", "https://jmt17.google.com", ".push.services.mozilla.com",
      ".notify.windows.com", ".push.apple.com"};
  return std::any_of(services.begin(), services.end(), [&](std::string_view each) {
    if (each.front() != '.') return origin == each;
    return origin.rfind("https://", 0) == 0 && origin.size() > each.size()
           && origin.compare(origin.size() - each.size(), each.npos, each) == 0;
  });
}

} // namespace arauto::channels
