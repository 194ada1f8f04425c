#include "actors/channels/web_push_crypt.hpp"

#include <array>
#include <stdexcept>

#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "actors/channels/evp.hpp"
#include "storage/model/base64.hpp"

namespace arauto::channels {

namespace {

using namespace std::string_literals;

constexpr std::size_t auth_bytes = 16;
constexpr std::size_t key_bytes = 16;
constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t tag_bytes = 16;
constexpr std::size_t scalar_bytes = 32;
const std::string record_size_4096 = "\x00\x00\x10\x00"s;

std::string hmac(std::string_view key, std::string_view text) {
  std::string digest(32, '\0');
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(),
       reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

// HKDF (RFC 5869) of at most one block.
std::string derived(std::string_view salt, std::string_view secret, const std::string& purpose,
                    std::size_t bytes) {
  return hmac(hmac(salt, secret), purpose + '\x01').substr(0, bytes);
}

result<std::string> aes_128_gcm(std::string_view key, std::string_view nonce,
                                std::string_view plain) {
  const owned<EVP_CIPHER_CTX, EVP_CIPHER_CTX_free> context{EVP_CIPHER_CTX_new()};
  std::string sealed(plain.size() + tag_bytes, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(sealed.data());
  int size = 0;
  int rest = 0;
  const auto good =
      EVP_EncryptInit_ex(context.get(), EVP_aes_128_gcm(), nullptr, bytes_of(key), bytes_of(nonce))
          == 1
      && EVP_EncryptUpdate(context.get(), out, &size, bytes_of(plain),
                           static_cast<int>(plain.size()))
             == 1
      && EVP_EncryptFinal_ex(context.get(), out + size, &rest) == 1
      && EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes, out + plain.size())
             == 1;
  if (!good) return failure{errc::internal, "aes_128_gcm"};
  return sealed;
}

} // namespace

result<std::string> encrypt_push(std::string_view plain, const browser_keys& to,
                                 const p256_key& ephemeral, std::string_view salt) {
  if (plain.size() > web_push_plain_bytes_max) return failure{errc::bad_input, "too_large"};
  const auto agreed = ephemeral.agree(to.p256dh);
  if (!agreed || to.auth.size() != auth_bytes) return failure{errc::bad_input, "keys_unusable"};
  const auto& ours = ephemeral.public_point();
  const auto secret = derived(to.auth, *agreed, "WebPush: info\0"s + to.p256dh + ours, 32);
  const auto key = derived(salt, secret, "Content-Encoding: aes128gcm\0"s, key_bytes);
  const auto nonce = derived(salt, secret, "Content-Encoding: nonce\0"s, nonce_bytes);
  const auto sealed = aes_128_gcm(key, nonce, std::string{plain} + '\x02'); // the last record
  if (!sealed) return sealed.why();
  std::string body{salt};
  body.append(record_size_4096).append(1, static_cast<char>(ours.size())).append(ours);
  return body + *sealed;
}

p256_key new_p256_key(const std::function<std::string(std::size_t)>& random_bytes) {
  for (int tries = 0; tries < 16; ++tries) // one in 2^32 numbers is past the curve's order
    if (auto key = p256_key::of_scalar(random_bytes(scalar_bytes))) return std::move(*key);
  throw std::runtime_error{"no randomness"};
}

vapid_pair new_vapid_pair() {
  std::string scalar;
  const auto key = new_p256_key([&](std::size_t count) {
    scalar.resize(count);
    auto* const bytes = reinterpret_cast<unsigned char*>(scalar.data());
    if (RAND_bytes(bytes, static_cast<int>(count)) != 1) throw std::runtime_error{"no randomness"};
    return scalar;
  });
  return {base64url(key.public_point()), base64url(scalar)};
}

} // namespace arauto::channels
