// The accounts as their ports want them, read from what people wrote. Secrets in here are never
// logged and never quoted in a fault.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "actors/channels/account.hpp"
#include "actors/channels/jwt.hpp"
#include "actors/channels/smtp_settings.hpp"

namespace arauto::channels {

struct fcm_account {
  std::string project_id, client_email, key_id, token_uri;
  rsa_key key;
  std::string url; // of the service, without a slash at its end
};

struct apns_account {
  std::string key_id, team_id;
  p256_key key;
  std::string topic; // for devices without an app; may be empty
  std::string url;
};

struct web_push_account {
  p256_key key;
  std::string subject;
};

// An account, or nothing and the faults say why. `kept` is what was accepted, to be read again one
// day.
template <class T>
struct form_reading {
  std::optional<T> account;
  nlohmann::json kept;
  std::vector<account_fault> faults;
};

form_reading<smtp_settings> read_smtp_account(const nlohmann::json& given);
form_reading<fcm_account> read_fcm_account(const nlohmann::json& given);
form_reading<apns_account> read_apns_account(const nlohmann::json& given);
form_reading<web_push_account> read_web_push_account(const nlohmann::json& given);

} // namespace arauto::channels
