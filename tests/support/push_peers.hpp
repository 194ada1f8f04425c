// Doubles of FCM, APNs and a push service (push_peers.mjs): written from the providers' documents,
// not the services. They verify our signatures, decrypt our messages and play faults by name.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/support/certificate.hpp"
#include "tests/support/mail_oracle.hpp"
#include "tests/support/push_keys.hpp"
#include "tests/support/real_mail_servers.hpp"

namespace arauto::tests {

class push_peers {
public:
  push_peers();

  std::string url(const std::string& via) const; // fcm, apns, web
  const std::string& ca_file() const { return papers_.certificate_file; }

  // What to verify with and which faults to play: {"apns": {"updates_left": 1}}.
  void expect(const nlohmann::json& what);
  nlohmann::json seen() const;
  int count(const std::string& via, const std::string& to) const; // requests that were judged

private:
  nlohmann::json ask(const std::string& path, const std::string& body) const;

  own_directory room_;
  certificate papers_;
  own_program program_;
  nlohmann::json ports_;
};

// A browser's subscription: what we are given of it, and what the browser keeps.
struct browser {
  std::string p256dh, auth; // base64url
  std::string d;            // its private key, base64url
};
browser new_browser();

} // namespace arauto::tests
