// Signed tokens (RFC 7515, compact form) by which we tell providers who we are: RS256 for FCM's
// assertion, ES256 for APNs and VAPID. We never read one. Pure: time stands in the claims.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include "actors/channels/p256.hpp"
#include "storage/model/errc.hpp"

namespace arauto::channels {

class rsa_key {
public:
  // PKCS#8 or PKCS#1, PEM, at least 2048 bits. bad_input says for people what is wrong.
  static result<rsa_key> of_pem(std::string_view pem);
  result<std::string> sign(std::string_view text) const; // RSASSA-PKCS1-v1_5 with SHA-256

private:
  explicit rsa_key(std::shared_ptr<EVP_PKEY> key) : key_{std::move(key)} {}
  std::shared_ptr<EVP_PKEY> key_;
};

// `header` gets its "alg" here.
result<std::string> make_jwt(const rsa_key& key, nlohmann::json header,
                             const nlohmann::json& claims);
result<std::string> make_jwt(const p256_key& key, nlohmann::json header,
                             const nlohmann::json& claims);

} // namespace arauto::channels
