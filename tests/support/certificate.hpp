// Certificates for test servers, made on the spot.
#pragma once

#include <string>

namespace arauto::tests {

struct certificate {
  std::string certificate_file; // PEM; signs itself, so it is its own authority
  std::string key_file;
};

// `names` as OpenSSL writes them: "DNS:localhost,IP:127.0.0.1". A negative age left makes it
// expired.
certificate make_certificate(const std::string& directory, const std::string& names,
                             long seconds_left);

} // namespace arauto::tests
