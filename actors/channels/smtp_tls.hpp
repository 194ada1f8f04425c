// TLS between memory and memory: OpenSSL does the protocol, smtp_session moves the bytes. So clear
// and encrypted conversations take one path, and the session knows which bytes have left and which
// have not.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

#include "storage/model/errc.hpp"

namespace arauto::channels {

// Authorities and the lowest version (1.2), shared by all connections of an account.
class tls_context {
public:
  // bad_input "ca_file" when the file holds no certificates. Empty: the system's authorities.
  static result<tls_context> make(const std::string& ca_file);

  SSL_CTX* get() const { return context_.get(); }

private:
  std::shared_ptr<SSL_CTX> context_;
};

class smtp_tls {
public:
  enum class progress { done, wants_more, unverified, failed };

  // The certificate must be `host`'s when `verified`.
  smtp_tls(const tls_context& context, const std::string& host, bool verified);

  progress handshake();
  void take(std::string_view ciphertext); // from the peer
  std::string plaintext(bool& closed);    // what the peer said; closed: it will say no more
  bool encrypt(std::string_view plain);
  std::string ciphertext(); // for the peer

  // Why the certificate was not good enough, in OpenSSL's words.
  std::string objection() const;

private:
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  BIO* from_peer_; // owned by ssl_
  BIO* to_peer_;   // owned by ssl_
};

} // namespace arauto::channels
