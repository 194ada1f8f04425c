#include "actors/channels/p256.hpp"

#include <array>
#include <utility>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/param_build.h>

#include "actors/channels/evp.hpp"

namespace arauto::channels {

namespace {

constexpr std::size_t scalar_bytes = 32;
constexpr std::size_t point_bytes = 65;
constexpr const char* curve = "prime256v1";

// BN_free and friends are functions; macros of OpenSSL are not, hence these.
void free_params(OSSL_PARAM* what) {
  OSSL_PARAM_free(what);
}

failure bad(const char* what) {
  ERR_clear_error();
  return {errc::bad_input, what};
}

// Empty when it is no scalar of the curve.
std::string point_of(const BIGNUM* scalar) {
  const owned<EC_GROUP, EC_GROUP_free> group{EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1)};
  if (BN_is_zero(scalar) || BN_cmp(scalar, EC_GROUP_get0_order(group.get())) >= 0) return "";
  const owned<EC_POINT, EC_POINT_free> point{EC_POINT_new(group.get())};
  if (EC_POINT_mul(group.get(), point.get(), scalar, nullptr, nullptr, nullptr) != 1) return "";
  std::string bytes(point_bytes, '\0');
  const auto size =
      EC_POINT_point2oct(group.get(), point.get(), POINT_CONVERSION_UNCOMPRESSED,
                         reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), nullptr);
  return size == point_bytes ? bytes : "";
}

// A key of the curve; a public one when `scalar` is null. Null when it is none.
std::shared_ptr<EVP_PKEY> make_key(std::string_view point, const BIGNUM* scalar) {
  const owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> parts{OSSL_PARAM_BLD_new()};
  OSSL_PARAM_BLD_push_utf8_string(parts.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve, 0);
  OSSL_PARAM_BLD_push_octet_string(parts.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                   point.size());
  if (scalar != nullptr) OSSL_PARAM_BLD_push_BN(parts.get(), OSSL_PKEY_PARAM_PRIV_KEY, scalar);
  const owned<OSSL_PARAM, free_params> params{OSSL_PARAM_BLD_to_param(parts.get())};
  const owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free> maker{
      EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr)};
  EVP_PKEY* made = nullptr;
  const auto what = scalar != nullptr ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
  const auto good = EVP_PKEY_fromdata_init(maker.get()) == 1
                    && EVP_PKEY_fromdata(maker.get(), &made, what, params.get()) == 1;
  std::shared_ptr<EVP_PKEY> key{good ? made : nullptr, EVP_PKEY_free};
  if (!good) ERR_clear_error();
  return key;
}

// Null when the bytes are no point of the curve.
std::shared_ptr<EVP_PKEY> public_key(std::string_view point) {
  if (point.size() != point_bytes || point.front() != '\x04') return nullptr;
  return make_key(point, nullptr);
}

} // namespace

bool is_p256_point(std::string_view bytes) {
  return public_key(bytes) != nullptr;
}

result<p256_key> p256_key::of_scalar(std::string_view bytes) {
  constexpr auto no_scalar = "not 32 bytes of a P-256 private key";
  if (bytes.size() != scalar_bytes) return bad(no_scalar);
  const owned<BIGNUM, BN_clear_free> scalar{
      BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr)};
  auto point = point_of(scalar.get());
  if (point.empty()) return bad(no_scalar);
  auto key = make_key(point, scalar.get());
  if (!key) return bad(no_scalar);
  return p256_key{std::move(key), std::move(point)};
}

result<p256_key> p256_key::of_pem(std::string_view pem) {
  const auto key = key_of_pem(pem);
  if (!key) return bad("not a private key in PEM form, without a password");
  if (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_EC) return bad("not a key on an elliptic curve");
  std::array<char, 64> group{};
  BIGNUM* read = nullptr;
  if (EVP_PKEY_get_utf8_string_param(key.get(), OSSL_PKEY_PARAM_GROUP_NAME, group.data(),
                                     group.size(), nullptr)
          != 1
      || std::string_view{group.data()} != curve
      || EVP_PKEY_get_bn_param(key.get(), OSSL_PKEY_PARAM_PRIV_KEY, &read) != 1)
    return bad("not a key on the curve P-256");
  const owned<BIGNUM, BN_clear_free> scalar{read};
  std::string bytes(scalar_bytes, '\0');
  BN_bn2binpad(scalar.get(), reinterpret_cast<unsigned char*>(bytes.data()), scalar_bytes);
  return of_scalar(bytes);
}

result<std::string> p256_key::sign(std::string_view text) const {
  const owned<EVP_MD_CTX, EVP_MD_CTX_free> context{EVP_MD_CTX_new()};
  std::array<unsigned char, 80> der{};
  auto size = der.size();
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1
      || EVP_DigestSign(context.get(), der.data(), &size, bytes_of(text), text.size()) != 1)
    return bad("the key does not sign");
  const auto* at = static_cast<const unsigned char*>(der.data());
  const owned<ECDSA_SIG, ECDSA_SIG_free> signature{
      d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(size))};
  std::string both(2 * scalar_bytes, '\0');
  auto* out = reinterpret_cast<unsigned char*>(both.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, scalar_bytes);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + scalar_bytes, scalar_bytes);
  return both;
}

result<std::string> p256_key::agree(std::string_view their_point) const {
  constexpr auto no_point = "not a point of P-256";
  const auto theirs = public_key(their_point);
  if (!theirs) return bad(no_point);
  const owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free> context{EVP_PKEY_CTX_new(key_.get(), nullptr)};
  std::string secret(scalar_bytes, '\0');
  auto size = secret.size();
  if (EVP_PKEY_derive_init(context.get()) != 1
      || EVP_PKEY_derive_set_peer(context.get(), theirs.get()) != 1
      || EVP_PKEY_derive(context.get(), reinterpret_cast<unsigned char*>(secret.data()), &size) != 1
      || size != scalar_bytes)
    return bad(no_point);
  return secret;
}

} // namespace arauto::channels
