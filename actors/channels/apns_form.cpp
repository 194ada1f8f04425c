#include "actors/channels/apns_form.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "actors/channels/push_content.hpp"

namespace arauto::channels {

namespace {

using nlohmann::json;

// What may stand in a path or a header without a second thought.
bool is_plain(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.'
           || c == '-' || c == '_';
  });
}

json payload_of(const push_content& what) {
  json made = what.data;
  auto& aps = made["aps"];
  if (!what.title.empty()) aps["alert"]["title"] = what.title;
  if (!what.body.empty()) aps["alert"]["body"] = what.body;
  aps["sound"] = "default";
  if (!what.link.empty()) made["link"] = what.link;
  if (what.image.empty()) return made;
  made["image"] = what.image;
  aps["mutable-content"] = 1; // the app's extension fetches the image
  return made;
}

} // namespace

result<composed> compose_apns(const message& what, const std::string& topic,
                              std::chrono::system_clock::time_point now) {
  const auto bad = [](const char* word) { return failure{errc::bad_input, word}; };
  const auto& to_app = what.app.empty() ? topic : what.app;
  if (!is_plain(what.target.token) || what.target.token.find('.') != std::string::npos)
    return bad("address_unusable");
  if (to_app.empty()) return bad("topic_missing");
  if (!is_plain(to_app)) return bad("topic_unusable");
  auto content = read_push(what);
  if (!content) return content.why();
  if (content->data.count("aps") != 0) return bad("data_key_reserved");
  const auto size = [](const push_content& each) { return payload_of(each).dump().size(); };
  if (const auto fitted = fit_push(*content, apns_bytes_max, size); !fitted) return fitted.why();

  const auto now_s =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  composed made;
  made.key = what.key;
  made.to = what.target.token;
  made.bytes = payload_of(*content).dump();
  made.device_id = what.target.device_id;
  made.registered_at_ms = what.target.registered_at_ms;
  made.headers = {{"apns-topic", to_app},
                  {"apns-push-type", "alert"},
                  {"apns-priority", "10"}, // what Apple asks for alerts
                  {"apns-expiration", std::to_string(now_s + push_life_s(what))},
                  {"apns-collapse-id", content->tag},
                  {"apns-id", push_uuid(what)}};
  return made;
}

} // namespace arauto::channels
