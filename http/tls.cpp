#include "http/tls.hpp"

#include <string_view>

#include <openssl/err.h>

namespace arauto::http {

namespace {

// A peer that speaks other protocols only is told so, instead of hearing HTTP/1.1 all the same.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length,
                    const unsigned char* offered, unsigned int offered_length, void*) {
  static constexpr unsigned char ours[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, length, ours, sizeof ours - 1, offered, offered_length)
      != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

// A key with a passphrase is one we cannot use; nobody sits at a terminal to be asked.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

void set_rules(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
                                | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY); // one call, one record: `stream` counts them
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
}

} // namespace

result<tls_certificate> tls_certificate::read(const std::string& certificate_file,
                                              const std::string& key_file) {
  tls_certificate made;
  made.context_ = {SSL_CTX_new(TLS_server_method()), &SSL_CTX_free};
  auto* context = made.context_.get();
  if (context == nullptr) return failure{errc::internal, "no memory for TLS"};
  set_rules(context);
  const auto refused = [](const std::string& why) {
    ERR_clear_error(); // or the next one to look would take it for its own
    return failure{errc::bad_input, why};
  };
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file.c_str()) != 1)
    return refused(certificate_file + " holds no certificate that can be used");
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    const bool foreign = ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_VALUES_MISMATCH;
    return refused(foreign ? key_file + " is not the key of " + certificate_file
                           : key_file + " holds no key that can be used");
  }
  if (SSL_CTX_check_private_key(context) != 1)
    return refused(key_file + " is not the key of " + certificate_file);
  return made;
}

tls_session tls_certificate::session_over(int socket) const {
  tls_session made{SSL_new(context_.get()), &SSL_free};
  if (made == nullptr || SSL_set_fd(made.get(), socket) != 1) {
    ERR_clear_error();
    return {nullptr, &SSL_free};
  }
  SSL_set_accept_state(made.get());
  return made;
}

} // namespace arauto::http
