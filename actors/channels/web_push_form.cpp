#include "actors/channels/web_push_form.hpp"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "actors/channels/push_content.hpp"
#include "actors/channels/web_push_crypt.hpp"
#include "storage/model/base64.hpp"
#include "storage/model/endpoint.hpp"

namespace arauto::channels {

namespace {

using nlohmann::json;

json payload_of(const push_content& what, const std::string& event) {
  json made{{"title", what.title}, {"body", what.body}, {"tag", what.tag}, {"event_id", event}};
  if (!what.image.empty()) made["image"] = what.image;
  if (!what.link.empty()) made["link"] = what.link;
  made["data"] = what.data;
  return made;
}

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

} // namespace

std::string origin_of(const std::string& endpoint) {
  const auto colon = endpoint.find("://");
  if (colon == endpoint.npos || !is_printable(endpoint)) return "";
  const auto scheme = lower(endpoint.substr(0, colon));
  if (scheme != "https" && scheme != "http") return "";
  const auto begin = colon + 3;
  const auto end = std::min(endpoint.find_first_of("/?#\\", begin), endpoint.size());
  auto host = lower(endpoint.substr(begin, end - begin));
  if (host.empty() || host.find('@') != host.npos) return "";
  const std::string usual = scheme == "https" ? ":443" : ":80";
  if (host.size() > usual.size()
      && host.compare(host.size() - usual.size(), usual.npos, usual) == 0)
    host.resize(host.size() - usual.size());
  return scheme + "://" + host;
}

result<composed> compose_web_push(const message& what, bool private_endpoints,
                                  const std::function<std::string(std::size_t)>& random_bytes) {
  if (!endpoint_objection(what.target.token, private_endpoints).empty())
    return failure{errc::bad_input, "endpoint_refused"};
  auto content = read_push(what);
  if (!content) return content.why();
  const auto& event = what.key.event.text;
  const auto size = [&](const push_content& each) { return payload_of(each, event).dump().size(); };
  if (const auto fitted = fit_push(*content, web_push_plain_bytes_max, size); !fitted)
    return fitted.why();
  const browser_keys keys{base64url_bytes(what.target.p256dh).value_or(""),
                          base64url_bytes(what.target.auth).value_or("")};
  auto sealed = encrypt_push(payload_of(*content, event).dump(), keys, new_p256_key(random_bytes),
                             random_bytes(web_push_salt_bytes));
  if (!sealed) return sealed.why();

  composed made;
  made.key = what.key;
  made.to = what.target.token;
  made.bytes = std::move(*sealed);
  made.device_id = what.target.device_id;
  made.registered_at_ms = what.target.registered_at_ms;
  made.headers = {{"ttl", std::to_string(push_life_s(what))},
                  {"urgency", what.urgency == priority::urgent ? "high" : "normal"},
                  {"topic", content->tag},
                  {"content-encoding", "aes128gcm"},
                  {"content-type", "application/octet-stream"}};
  return made;
}

} // namespace arauto::channels
