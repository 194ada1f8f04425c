// What keeps a push secret from the push service between us and a browser: RFC 8291 over RFC 8188's
// aes128gcm, one record. Pure: the ephemeral key and the salt are arguments, and new ones are
// needed for every message.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "actors/channels/p256.hpp"
#include "storage/model/errc.hpp"

namespace arauto::channels {

// What a push service must take (RFC 8030 7.2), less header, padding delimiter and tag.
inline constexpr std::size_t web_push_plain_bytes_max = 3'993;
inline constexpr std::size_t web_push_salt_bytes = 16;

// Raw, as a browser's subscription has them in base64url.
struct browser_keys {
  std::string p256dh; // 65 bytes
  std::string auth;   // 16 bytes
};

// bad_input: "keys_unusable", "too_large".
result<std::string> encrypt_push(std::string_view plain, const browser_keys& to,
                                 const p256_key& ephemeral, std::string_view salt);

// A fresh key of chance; random_bytes(n) gives n bytes.
p256_key new_p256_key(const std::function<std::string(std::size_t)>& random_bytes);

// A pair that a site gives to browsers (applicationServerKey) and to us, base64url.
struct vapid_pair {
  std::string public_key;  // 65 bytes
  std::string private_key; // 32 bytes
};
vapid_pair new_vapid_pair();

} // namespace arauto::channels
