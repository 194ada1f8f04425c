// Keys as providers hand them out, made on the spot.
#pragma once

#include <string>

namespace arauto::tests {

struct key_pair {
  std::string private_pem; // PKCS#8
  std::string public_pem;  // SubjectPublicKeyInfo
};

key_pair new_rsa_pair(unsigned bits = 2'048);
key_pair new_ec_pair(const char* curve = "P-256");

// A signature as in a JWT: RSASSA-PKCS1-v1_5 or R and S, with SHA-256.
bool is_signed_by(const std::string& public_pem, const std::string& text,
                  const std::string& signature);

std::string chance(std::size_t bytes); // from OpenSSL's generator

} // namespace arauto::tests
