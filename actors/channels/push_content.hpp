// What a push says, before any provider's form: the rendered parts read and judged, and the names a
// delivery has towards providers and apps. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "storage/model/errc.hpp"
#include "storage/model/message.hpp"

namespace arauto::channels {

struct push_content {
  std::string title, body;
  std::string image, link;                 // http or https; empty: none
  std::map<std::string, std::string> data; // of the template, and arauto_event_id
  std::string tag; // collapse identity: 32 letters of base64url, the same on each attempt
};

// The key by which an app can tell that it has seen a push before.
inline constexpr std::string_view event_id_key = "arauto_event_id";
// What a push lives when nobody said how long: as long as FCM keeps one.
inline constexpr std::int64_t push_life_s_max = 2'419'200;

// bad_input: text_missing, not_utf8, image_unusable, link_unusable, data_unusable (no JSON object),
// data_key_reserved.
result<push_content> read_push(const message& what);

// The values of a JSON object as strings: numbers as written, null as nothing, lists and objects as
// JSON. Nothing when it is none, is too deep or names a member twice.
std::optional<std::map<std::string, std::string>> read_push_data(std::string_view json);

// Shortens body, then title, until size() is at most bytes_max; `…` stands for what is gone, no
// character is cut in two. bad_input too_large: the rest alone is larger.
result<done> fit_push(push_content& what, std::size_t bytes_max,
                      const std::function<std::size_t(const push_content&)>& size);

// Seconds the provider may keep it, 0 to push_life_s_max.
std::int64_t push_life_s(const message& what);

std::string collapse_identity(const message& what);
std::string push_uuid(const message& what); // version 8 (RFC 9562 5.8): the same on each attempt

} // namespace arauto::channels
