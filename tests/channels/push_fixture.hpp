// What every test of a push port needs: accounts with keys of their own, a message for a device,
// and what a port is given besides.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "actors/channels/account.hpp"
#include "actors/channels/http_client.hpp"
#include "actors/channels/web_push_crypt.hpp"
#include "tests/support/push_keys.hpp"

namespace arauto::tests {

struct test_key_set {
  key_pair rsa = new_rsa_pair();
  key_pair ec = new_ec_pair();
};

inline const test_key_set& test_keys() { // making an RSA key takes a while
  static const test_key_set keys;
  return keys;
}

inline nlohmann::json fcm_form(const key_pair& pair) {
  return {{"service_account",
           {{"type", "service_account"},
            {"project_id", "loja-123"},
            {"private_key_id", "k1"},
            {"private_key", pair.private_pem},
            {"client_email", "push@loja-123.iam.gserviceaccount.com"},
            {"client_id", "1"},
            {"auth_uri", "https://accounts.google.com/o/oauth2/auth"},
            {"token_uri", "https://oauth2.googleapis.com/token"}}}};
}

inline nlohmann::json apns_form(const key_pair& pair) {
  return {{"key_id", "KEYKEYKEY1"},
          {"team_id", "TEAMTEAM01"},
          {"key", pair.private_pem},
          {"topic", "example.loja"}};
}

inline nlohmann::json web_push_form(const channels::vapid_pair& pair) {
  return {{"private_key", pair.private_key}, {"subject", "mailto:ops@loja.example"}};
}

inline message push_to(const std::string& token, const std::string& body = "Your order is here") {
  message made;
  made.key = {{"0190a0b0-1234-7abc-8def-0123456789ab"}, channel::push};
  made.parts = {{"title", "Loja"}, {"body", body}};
  made.target.device_id = "phone-1";
  made.target.token = token;
  return made;
}

inline channels::http_answer answered(int status, const std::string& body = "{}") {
  channels::http_answer made;
  made.came_to = channels::http_answer::end::answered;
  made.status = status;
  made.body = body;
  return made;
}

// For "verdict cause" in one comparison; `*` says that the whole account is slowed.
inline std::string in_words(const outcome& made) {
  auto text = std::string{spelled(made.said)};
  if (!made.cause.empty()) text += " " + made.cause;
  if (made.retry_after.count() > 0) text += " " + std::to_string(made.retry_after.count());
  return made.slows_account ? text + " *" : text;
}

inline channels::port_means test_means() {
  channels::port_means made;
  made.now = [] { return std::chrono::system_clock::now(); };
  made.random_bytes = chance;
  made.connect_timeout = std::chrono::milliseconds{2'000};
  made.answer_timeout = std::chrono::milliseconds{2'000};
  made.private_endpoints = true;
  return made;
}

} // namespace arauto::tests
