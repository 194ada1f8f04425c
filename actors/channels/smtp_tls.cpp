#include "actors/channels/smtp_tls.hpp"

#include <new>

#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace arauto::channels {

namespace {

bool is_ip_address(const std::string& host) {
  ASN1_OCTET_STRING* const ip = a2i_IPADDRESS(host.c_str());
  const auto found = ip != nullptr;
  ASN1_OCTET_STRING_free(ip);
  ERR_clear_error();
  return found;
}

} // namespace

result<tls_context> tls_context::make(const std::string& ca_file) {
  tls_context made;
  made.context_ = {SSL_CTX_new(TLS_client_method()), &SSL_CTX_free};
  auto* const context = made.context_.get();
  if (context == nullptr) return failure{errc::internal, "tls_context"};
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  const auto loaded = ca_file.empty()
                          ? SSL_CTX_set_default_verify_paths(context)
                          : SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr);
  ERR_clear_error();
  if (loaded != 1) return failure{errc::bad_input, "ca_file"};
  return made;
}

smtp_tls::smtp_tls(const tls_context& context, const std::string& host, bool verified)
    : ssl_{SSL_new(context.get()), &SSL_free},
      from_peer_{BIO_new(BIO_s_mem())},
      to_peer_{BIO_new(BIO_s_mem())} {
  if (!ssl_ || from_peer_ == nullptr || to_peer_ == nullptr) throw std::bad_alloc{};
  SSL_set_bio(ssl_.get(), from_peer_, to_peer_);
  SSL_set_connect_state(ssl_.get());
  const auto by_ip = is_ip_address(host);
  const auto named = by_ip ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str())
                           : SSL_set1_host(ssl_.get(), host.c_str());
  if (named != 1) throw std::bad_alloc{}; // never a conversation with just anybody
  if (!by_ip) SSL_set_tlsext_host_name(ssl_.get(), host.c_str());
  SSL_set_verify(ssl_.get(), verified ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
}

smtp_tls::progress smtp_tls::handshake() {
  ERR_clear_error();
  const auto done = SSL_do_handshake(ssl_.get());
  if (done == 1) return progress::done;
  if (SSL_get_error(ssl_.get(), done) == SSL_ERROR_WANT_READ) return progress::wants_more;
  const auto refused = SSL_get_verify_mode(ssl_.get()) == SSL_VERIFY_PEER
                       && SSL_get_verify_result(ssl_.get()) != X509_V_OK;
  return refused ? progress::unverified : progress::failed;
}

void smtp_tls::take(std::string_view bytes) {
  BIO_write(from_peer_, bytes.data(), static_cast<int>(bytes.size()));
}

std::string smtp_tls::plaintext(bool& closed) {
  std::string plain;
  char room[4'096];
  ERR_clear_error();
  int taken = 0;
  while ((taken = SSL_read(ssl_.get(), room, sizeof room)) > 0)
    plain.append(room, static_cast<std::size_t>(taken));
  closed = SSL_get_error(ssl_.get(), taken) != SSL_ERROR_WANT_READ;
  return plain;
}

bool smtp_tls::encrypt(std::string_view plain) {
  ERR_clear_error();
  return plain.empty()
         || SSL_write(ssl_.get(), plain.data(), static_cast<int>(plain.size()))
                == static_cast<int>(plain.size());
}

std::string smtp_tls::ciphertext() {
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(to_peer_, &bytes);
  std::string taken{bytes, size > 0 ? static_cast<std::size_t>(size) : 0};
  BIO_reset(to_peer_);
  return taken;
}

std::string smtp_tls::objection() const {
  return X509_verify_cert_error_string(SSL_get_verify_result(ssl_.get()));
}

} // namespace arauto::channels
