#include "actors/channels/fcm_form.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include "actors/channels/push_content.hpp"
#include "storage/model/text.hpp"

namespace arauto::channels {

namespace {

using nlohmann::json;

bool is_reserved(const std::string& key) {
  return key == "from" || key == "message_type" || key.rfind("google.", 0) == 0
         || key.rfind("gcm.notification.", 0) == 0;
}

struct manner { // what does not depend on the text
  bool urgent;
  std::int64_t life_s;
  std::int64_t ends_s; // Unix time
};

json message_of(const push_content& what, const manner& how) {
  auto data = what.data;
  if (!what.link.empty()) data["link"] = what.link;
  json made;
  made["notification"]["title"] = what.title;
  made["notification"]["body"] = what.body;
  if (!what.image.empty()) made["notification"]["image"] = what.image;
  made["data"] = data;
  made["android"] = {{"priority", how.urgent ? "HIGH" : "NORMAL"},
                     {"ttl", std::to_string(how.life_s) + "s"},
                     {"notification", {{"tag", what.tag}}}};
  made["apns"]["headers"] = {{"apns-collapse-id", what.tag},
                             {"apns-priority", "10"},
                             {"apns-expiration", std::to_string(how.ends_s)}};
  if (!what.image.empty()) {
    made["apns"]["payload"]["aps"]["mutable-content"] = 1;
    made["apns"]["fcm_options"]["image"] = what.image;
  }
  made["webpush"]["headers"] = {{"TTL", std::to_string(how.life_s)},
                                {"Urgency", how.urgent ? "high" : "normal"},
                                {"Topic", what.tag}};
  made["webpush"]["notification"]["tag"] = what.tag;
  // Firebase takes links with https only there; the app finds any in its data.
  if (what.link.rfind("https://", 0) == 0) made["webpush"]["fcm_options"]["link"] = what.link;
  return made;
}

} // namespace

result<composed> compose_fcm(const message& what, std::chrono::system_clock::time_point now) {
  if (what.target.token.empty() || !is_utf8(what.target.token) || has_control(what.target.token))
    return failure{errc::bad_input, "address_unusable"};
  auto content = read_push(what);
  if (!content) return content.why();
  for (const auto& [key, value] : content->data)
    if (is_reserved(key)) return failure{errc::bad_input, "data_key_reserved"};
  const auto life_s = push_life_s(what);
  const auto now_s =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  const manner how{what.urgency == priority::urgent, life_s, now_s + life_s};
  const auto size = [&](const push_content& each) { return message_of(each, how).dump().size(); };
  if (const auto fitted = fit_push(*content, fcm_bytes_max, size); !fitted) return fitted.why();

  json body;
  body["message"] = message_of(*content, how);
  body["message"]["token"] = what.target.token;
  composed made;
  made.key = what.key;
  made.bytes = body.dump();
  made.device_id = what.target.device_id;
  made.registered_at_ms = what.target.registered_at_ms;
  return made;
}

} // namespace arauto::channels
