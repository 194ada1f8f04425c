// Our side of TLS: a certificate and its key, read from two files. At least 1.2, and HTTP/1.1 for
// those who ask by ALPN.
#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "storage/model/errc.hpp"

namespace arauto::http {

using tls_session = std::unique_ptr<SSL, decltype(&SSL_free)>;

class tls_certificate {
public:
  // bad_input says which file cannot be used, or that the two do not fit together.
  static result<tls_certificate> read(const std::string& certificate_file,
                                      const std::string& key_file);

  tls_session session_over(int socket) const; // null when memory is short

private:
  std::shared_ptr<SSL_CTX> context_; // a session keeps it, so it may be replaced at any time
};

} // namespace arauto::http
