#include "tests/support/certificate.hpp"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace arauto::tests {

namespace {

template <class T>
using held = std::unique_ptr<T, void (*)(T*)>;
using file_ptr = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

void add_extension(X509* to, int kind, const std::string& value) {
  const held<X509_EXTENSION> made{X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()),
                                  &X509_EXTENSION_free};
  if (!made || X509_add_ext(to, made.get(), -1) != 1)
    throw std::runtime_error{"the certificate's extension was refused"};
}

} // namespace

certificate make_certificate(const std::string& directory, const std::string& names,
                             long seconds_left) {
  constexpr long day = 86'400;
  const held<EVP_PKEY> key{EVP_EC_gen("P-256"), &EVP_PKEY_free};
  const held<X509> made{X509_new(), &X509_free};
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -2 * day);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), seconds_left);
  X509_set_pubkey(made.get(), key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("test peer"), -1, -1, 0);
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  add_extension(made.get(), NID_subject_alt_name, names);
  add_extension(made.get(), NID_basic_constraints, "CA:TRUE");
  X509_sign(made.get(), key.get(), EVP_sha256());

  const certificate paths{directory + "/certificate.pem", directory + "/key.pem"};
  const file_ptr certificate_file{std::fopen(paths.certificate_file.c_str(), "w"), &std::fclose};
  const file_ptr key_file{std::fopen(paths.key_file.c_str(), "w"), &std::fclose};
  if (!certificate_file || !key_file || PEM_write_X509(certificate_file.get(), made.get()) != 1
      || PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr)
             != 1)
    throw std::runtime_error{"the certificate was not written"};
  return paths;
}

} // namespace arauto::tests
