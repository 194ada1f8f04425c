// What OpenSSL hands out, owned. Used where keys and tokens are made; nobody else includes it.
#pragma once

#include <memory>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

namespace arauto::channels {

template <class T, void (*End)(T*)>
struct ends_with {
  void operator()(T* what) const { End(what); }
};
template <class T, void (*End)(T*)>
using owned = std::unique_ptr<T, ends_with<T, End>>;

inline const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// A private key without a password; null when it cannot be read. Never asks a terminal.
inline std::shared_ptr<EVP_PKEY> key_of_pem(std::string_view pem) {
  const owned<BIO, BIO_free_all> in{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))};
  const auto no_password = [](char*, int, int, void*) { return -1; };
  std::shared_ptr<EVP_PKEY> key{PEM_read_bio_PrivateKey(in.get(), nullptr, no_password, nullptr),
                                EVP_PKEY_free};
  ERR_clear_error(); // the thread's queue is not ours to fill
  return key;
}

} // namespace arauto::channels
