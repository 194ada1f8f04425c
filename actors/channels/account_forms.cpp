#include "actors/channels/account_forms.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "actors/channels/field_reader.hpp"
#include "actors/channels/mime.hpp"
#include "storage/model/base64.hpp"

namespace arauto::channels {

namespace {

using need = field_reader::need;
using std::chrono::milliseconds;

constexpr auto fcm_url = "https://fcm.googleapis.com";
constexpr auto fcm_token_uri = "https://oauth2.googleapis.com/token";
constexpr auto apns_production_url = "https://api.push.apple.com";
constexpr auto apns_development_url = "https://api.development.push.apple.com";
constexpr std::size_t apple_id_bytes = 10;

bool is_made_of(const std::string& text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || others.find(c) != std::string_view::npos;
  });
}

std::string apple_id(field_reader& form, const std::string& name) {
  auto text = form.line(name, need::must);
  if (!text.empty() && (text.size() != apple_id_bytes || !is_made_of(text, "")))
    form.object(name, "has ten letters and digits");
  return text;
}

milliseconds patience(field_reader& form, const std::string& name, milliseconds otherwise) {
  return milliseconds{form.number(name, 100, 1'800'000, otherwise.count())};
}

tls_mode tls_spelled(const std::string& word) {
  if (word == "off") return tls_mode::off;
  if (word == "opportunistic") return tls_mode::opportunistic;
  return word == "implicit" ? tls_mode::implicit : tls_mode::required;
}

template <class Key>
std::optional<Key> key_of(field_reader& form, const std::string& name,
                          result<Key> (*read)(std::string_view)) {
  const auto text = form.lines(name, need::must);
  if (text.empty()) return std::nullopt;
  auto key = read(text);
  if (key) return std::move(*key);
  form.object(name, key.why().text);
  return std::nullopt;
}

} // namespace

form_reading<smtp_settings> read_smtp_account(const nlohmann::json& given) {
  form_reading<smtp_settings> reading;
  field_reader form{given, "", reading.faults};
  smtp_settings made;
  made.host = form.line("host", need::must);
  made.port = static_cast<std::uint16_t>(form.number("port", 1, 65'535, made.port));
  made.tls =
      tls_spelled(form.word("tls", {"off", "opportunistic", "required", "implicit"}, "required"));
  made.ca_file = form.line("ca_file", need::may, 4'096);
  made.user = form.line("user", need::may);
  made.password = form.line("password", need::may, 1'024);
  made.auth_without_tls = form.flag("auth_without_tls", false);
  made.helo_name = form.line("helo_name", need::may);
  made.sender_address = form.line("sender_address", need::must);
  made.sender_name = form.line("sender_name", need::may);
  made.message_id_domain = form.line("message_id_domain", need::may);
  made.connections_max = static_cast<std::size_t>(form.number("connections_max", 1, 1'000, 32));
  made.messages_max = static_cast<std::size_t>(form.number("messages_max", 1, 1'000'000, 1'000));
  made.connect_timeout = patience(form, "connect_timeout_ms", made.connect_timeout);
  made.command_timeout = patience(form, "command_timeout_ms", made.command_timeout);
  made.message_timeout = patience(form, "message_timeout_ms", made.message_timeout);
  made.answer_timeout = patience(form, "answer_timeout_ms", made.answer_timeout);
  made.idle_timeout = patience(form, "idle_timeout_ms", made.idle_timeout);
  if (made.host.find(' ') != made.host.npos) form.object("host", "must be one name or address");
  if (made.helo_name.find(' ') != made.helo_name.npos) form.object("helo_name", "must be one name");
  if (made.user.empty() != made.password.empty())
    form.object(made.user.empty() ? "user" : "password", "user and password go together");
  if (!made.user.empty() && made.tls == tls_mode::off && !made.auth_without_tls)
    form.object("tls", "a password needs encryption");
  if (!made.sender_address.empty()
      && !make_mail_account(made.sender_address, made.sender_name, made.message_id_domain))
    form.object("sender_address", "must be an address we can send from");
  reading.kept = form.end();
  if (reading.faults.empty()) reading.account = std::move(made);
  return reading;
}

form_reading<fcm_account> read_fcm_account(const nlohmann::json& given) {
  form_reading<fcm_account> reading;
  field_reader form{given, "", reading.faults};
  auto url = form.address("url", need::may);
  field_reader file{form.member("service_account"), "/service_account", reading.faults};
  file.word("type", {"service_account"}, "service_account");
  auto project = file.line("project_id", need::must);
  if (!is_made_of(project, "-.:")) file.object("project_id", "is no name of a Firebase project");
  auto email = file.line("client_email", need::must);
  auto key_id = file.line("private_key_id", need::must);
  auto token_uri = file.address("token_uri", need::may);
  auto key = key_of(file, "private_key", rsa_key::of_pem);
  for (const auto* name : {"client_id", "auth_uri", "auth_provider_x509_cert_url",
                           "client_x509_cert_url", "universe_domain"})
    file.pass_over(name);
  form.keep("service_account", file.end());
  reading.kept = form.end();
  if (!reading.faults.empty() || !key) return reading;
  reading.account =
      fcm_account{std::move(project), std::move(email),
                  std::move(key_id),  token_uri.empty() ? fcm_token_uri : std::move(token_uri),
                  std::move(*key),    url.empty() ? fcm_url : std::move(url)};
  return reading;
}

form_reading<apns_account> read_apns_account(const nlohmann::json& given) {
  form_reading<apns_account> reading;
  field_reader form{given, "", reading.faults};
  auto key_id = apple_id(form, "key_id");
  auto team_id = apple_id(form, "team_id");
  auto key = key_of(form, "key", p256_key::of_pem);
  const auto environment = form.word("environment", {"production", "development"}, "production");
  auto topic = form.line("topic", need::may);
  if (!is_made_of(topic, "-._")) form.object("topic", "is no name of an app");
  auto url = form.address("url", need::may);
  reading.kept = form.end();
  if (!reading.faults.empty() || !key) return reading;
  if (url.empty()) url = environment == "production" ? apns_production_url : apns_development_url;
  reading.account = apns_account{std::move(key_id), std::move(team_id), std::move(*key),
                                 std::move(topic), std::move(url)};
  return reading;
}

form_reading<web_push_account> read_web_push_account(const nlohmann::json& given) {
  form_reading<web_push_account> reading;
  field_reader form{given, "", reading.faults};
  const auto text = form.line("private_key", need::must);
  const auto open = form.line("public_key", need::may);
  auto subject = form.line("subject", need::must);
  if (!subject.empty() && subject.rfind("mailto:", 0) != 0 && subject.rfind("https://", 0) != 0)
    form.object("subject", "must begin with mailto: or https://");
  std::optional<p256_key> key;
  if (!text.empty()) {
    auto read = p256_key::of_scalar(base64url_bytes(text).value_or(""));
    if (read)
      key = std::move(*read);
    else
      form.object("private_key", "must be 32 bytes of a P-256 private key in base64url");
  }
  if (key) {
    const auto point = base64url(key->public_point());
    if (!open.empty() && open != point) form.object("public_key", "is not the private key's own");
    form.keep("public_key", point);
  }
  reading.kept = form.end();
  if (!reading.faults.empty() || !key) return reading;
  reading.account = web_push_account{std::move(*key), std::move(subject)};
  return reading;
}

} // namespace arauto::channels
