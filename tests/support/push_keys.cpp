#include "tests/support/push_keys.hpp"

#include <memory>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

namespace arauto::tests {

namespace {

using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string text_in(BIO* bio) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

key_pair written(EVP_PKEY* made) {
  const key_ptr key{made, EVP_PKEY_free};
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> secret{BIO_new(BIO_s_mem()), BIO_free_all};
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> open{BIO_new(BIO_s_mem()), BIO_free_all};
  PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  PEM_write_bio_PUBKEY(open.get(), key.get());
  return {text_in(secret.get()), text_in(open.get())};
}

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string der_of(const std::string& r_and_s) {
  ECDSA_SIG* signature = ECDSA_SIG_new();
  ECDSA_SIG_set0(signature, BN_bin2bn(bytes_of(r_and_s), 32, nullptr),
                 BN_bin2bn(bytes_of(r_and_s) + 32, 32, nullptr));
  unsigned char* der = nullptr;
  const auto size = i2d_ECDSA_SIG(signature, &der);
  std::string bytes{reinterpret_cast<char*>(der), static_cast<std::size_t>(size)};
  OPENSSL_free(der);
  ECDSA_SIG_free(signature);
  return bytes;
}

} // namespace

key_pair new_rsa_pair(unsigned bits) {
  return written(EVP_RSA_gen(bits));
}

key_pair new_ec_pair(const char* curve) {
  return written(EVP_EC_gen(curve));
}

bool is_signed_by(const std::string& public_pem, const std::string& text,
                  const std::string& signature) {
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> in{
      BIO_new_mem_buf(public_pem.data(), static_cast<int>(public_pem.size())), BIO_free_all};
  const key_ptr key{PEM_read_bio_PUBKEY(in.get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
  const auto is_ec = EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_EC;
  if (is_ec && signature.size() != 64) return false;
  const auto wanted = is_ec ? der_of(signature) : signature;
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free};
  return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1
         && EVP_DigestVerify(context.get(), bytes_of(wanted), wanted.size(), bytes_of(text),
                             text.size())
                == 1;
}

std::string chance(std::size_t bytes) {
  std::string made(bytes, '\0');
  RAND_bytes(reinterpret_cast<unsigned char*>(made.data()), static_cast<int>(bytes));
  return made;
}

} // namespace arauto::tests
