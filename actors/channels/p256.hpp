// One private key on the curve P-256: it signs tokens (ES256) and agrees on secrets (ECDH). Used by
// APNs (a .p8 file) and Web Push. Any number of threads may use one key at once; copies share it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/evp.h>

#include "storage/model/errc.hpp"

namespace arauto::channels {

class p256_key {
public:
  // bad_input: "not 32 bytes of a P-256 private key".
  static result<p256_key> of_scalar(std::string_view bytes);
  // PKCS#8 or SEC 1, PEM. bad_input says for people what is wrong, and quotes nothing.
  static result<p256_key> of_pem(std::string_view pem);

  const std::string& public_point() const { return point_; } // uncompressed, 65 bytes

  // R and S, 32 bytes each (RFC 7518 3.4).
  result<std::string> sign(std::string_view text) const;
  // bad_input: "not a point of P-256".
  result<std::string> agree(std::string_view their_point) const;

private:
  p256_key(std::shared_ptr<EVP_PKEY> key, std::string point)
      : key_{std::move(key)}, point_{std::move(point)} {}

  std::shared_ptr<EVP_PKEY> key_;
  std::string point_;
};

// Uncompressed, 65 bytes, and on the curve: what a browser's p256dh must be.
bool is_p256_point(std::string_view bytes);

} // namespace arauto::channels
