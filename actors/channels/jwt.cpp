#include "actors/channels/jwt.hpp"

#include <utility>

#include "actors/channels/evp.hpp"
#include "storage/model/base64.hpp"

namespace arauto::channels {

namespace {

constexpr int rsa_bits_min = 2'048;

template <class Key>
result<std::string> signed_token(const Key& key, nlohmann::json header, const char* algorithm,
                                 const nlohmann::json& claims) {
  header["alg"] = algorithm;
  auto text = base64url(header.dump()) + "." + base64url(claims.dump());
  const auto signature = key.sign(text);
  if (!signature) return signature.why();
  return text + "." + base64url(*signature);
}

} // namespace

result<rsa_key> rsa_key::of_pem(std::string_view pem) {
  auto key = key_of_pem(pem);
  const auto bad = [](const char* what) { return failure{errc::bad_input, what}; };
  if (!key) return bad("not a private key in PEM form, without a password");
  if (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) return bad("not an RSA key");
  if (EVP_PKEY_get_bits(key.get()) < rsa_bits_min) return bad("an RSA key of less than 2048 bits");
  return rsa_key{std::move(key)};
}

result<std::string> rsa_key::sign(std::string_view text) const {
  const owned<EVP_MD_CTX, EVP_MD_CTX_free> context{EVP_MD_CTX_new()};
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())), '\0');
  auto size = signature.size();
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1
      || EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                        bytes_of(text), text.size())
             != 1) {
    ERR_clear_error();
    return failure{errc::bad_input, "the key does not sign"};
  }
  signature.resize(size);
  return signature;
}

result<std::string> make_jwt(const rsa_key& key, nlohmann::json header,
                             const nlohmann::json& claims) {
  return signed_token(key, std::move(header), "RS256", claims);
}

result<std::string> make_jwt(const p256_key& key, nlohmann::json header,
                             const nlohmann::json& claims) {
  return signed_token(key, std::move(header), "ES256", claims);
}

} // namespace arauto::channels
