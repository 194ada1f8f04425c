#include "http/devices.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "actors/channels/p256.hpp"
#include "http/members.hpp"
#include "storage/model/base64.hpp"
#include "storage/model/endpoint.hpp"
#include "storage/model/text.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t auth_bytes = 16; // RFC 8291 3.2

const char* fault_of_device_id(std::string_view text) {
  if (text.empty() || text.size() > 255) return "1 to 255 bytes are expected";
  if (has_control(text)) return "control characters are not allowed";
  return nullptr;
}

// Firebase says nothing of a token's form, but that it travels in a URL without escapes.
const char* fault_of_fcm_token(std::string_view text) {
  const bool fits =
      !text.empty() && text.size() <= storage::token_bytes_max
      && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  return fits ? nullptr : "1 to 2048 visible characters of ASCII are expected";
}

// Apple's are of variable length, as hexadecimal digits (UserNotifications: "Registering").
const char* fault_of_apns_token(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 512 && text.size() % 2 == 0
                    && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  return fits ? nullptr : "the device token as pairs of hexadecimal digits is expected";
}

const char* fault_of_p256dh(std::string_view text) {
  const auto point = base64url_bytes(text);
  return point && channels::is_p256_point(*point)
             ? nullptr
             : "a point of P-256, 65 bytes as base64url, is expected";
}

const char* fault_of_auth(std::string_view text) {
  const auto secret = base64url_bytes(text);
  return secret && secret->size() == auth_bytes ? nullptr : "16 bytes as base64url are expected";
}

// As PushSubscription.toJSON() of a browser writes it. `expirationTime` is no wish of anybody: what
// has expired is told by the push service.
void read_subscription(const nlohmann::json& from, std::vector<field_error>& errors,
                       storage::device& into) {
  members in{from, "/subscription", errors};
  in.only({"endpoint", "keys", "expirationTime"});
  if (const auto* endpoint = in.text("endpoint", need::required)) into.token = *endpoint;
  const auto* keys = in.object("keys", need::required);
  if (keys == nullptr) return;
  members of_keys{*keys, "/subscription/keys", errors};
  of_keys.only({"p256dh", "auth"});
  const auto read = [&](const char* name, const char* (*fault_of)(std::string_view),
                        std::string& key) {
    const auto* text = of_keys.text(name, need::required);
    if (text == nullptr) return;
    if (const char* fault = fault_of(*text)) of_keys.wrong(name, fault);
    key = *text;
  };
  read("p256dh", fault_of_p256dh, into.p256dh);
  read("auth", fault_of_auth, into.auth);
}

void read_token(members& in, storage::device& into) {
  const auto* token = in.text("token", need::required);
  if (token == nullptr) return;
  const bool apple = into.of.via == provider::apns;
  if (const char* fault = apple ? fault_of_apns_token(*token) : fault_of_fcm_token(*token))
    in.wrong("token", fault);
  into.token = *token;
  if (apple)
    for (auto& digit : into.token)
      if (digit >= 'A' && digit <= 'F') digit = static_cast<char>(digit - 'A' + 'a');
}

json told_outlet(const std::string& id, const outlet& of) {
  json told = {{"device_id", id}, {"provider", spelled(of.via)}};
  set_unless_empty(told, "app", of.app);
  return told;
}

std::string dumped(const json& what) {
  return what.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool can_be_there(const request& asked) { // a user or a device of such a name
  return fault_of_user_id(asked.names.at(0)) == nullptr
         && (asked.names.size() < 2 || fault_of_device_id(asked.names.at(1)) == nullptr);
}

} // namespace

or_problem<storage::device> read_device(std::string_view body, const http_settings& limits) {
  const auto read = read_body(body, limits);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  const auto& given = std::get<nlohmann::json>(read);
  std::vector<field_error> errors;
  members in{given, "", errors};
  const auto* word = in.text("provider", need::required);
  const auto via = provider_spelled(word != nullptr ? std::string_view{*word} : "");
  if (word != nullptr && (!via || channel_of(*via) != channel::push))
    in.wrong("provider", "fcm, apns or web_push is expected");
  if (!via || !errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  storage::device wanted;
  wanted.of.via = *via;
  if (const auto* app = in.text("app", need::optional)) {
    if (const char* fault = fault_of_app(*app)) in.wrong("app", fault);
    wanted.of.app = *app;
  }
  if (*via == provider::web_push) {
    in.only({"provider", "app", "subscription"});
    if (const auto* subscription = in.object("subscription", need::required))
      read_subscription(*subscription, errors, wanted);
  } else {
    in.only({"provider", "app", "token"});
    read_token(in, wanted);
  }
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  if (*via != provider::web_push) return wanted;
  if (const auto no = endpoint_objection(wanted.token, limits.private_endpoints); !no.empty())
    return refusal(problem_code::invalid_address, {},
                   {{"/subscription/endpoint", std::string{no}}});
  return wanted;
}

std::string told_devices(const std::vector<storage::device_view>& all) {
  json told = {{"data", json::array()}};
  for (const auto& one : all) {
    auto row = told_outlet(one.id, one.of);
    row["registered_at"] = one.registered_at;
    set_unless_empty(row, "ended_at", one.ended_at);
    set_unless_empty(row, "end_reason", one.end_reason);
    told["data"].push_back(std::move(row));
  }
  return dumped(told);
}

or_problem<answer> put_device(const request& asked, const means& with) {
  if (!can_be_there(asked)) return refusal(problem_code::not_found);
  auto read = read_device(asked.body, with.settings);
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  auto& wanted = std::get<storage::device>(read);
  wanted.id = asked.names.at(1);
  const auto put = with.sessions.with(
      [&](storage::session& db) {
        return storage::put_device(db, asked.tenant, {asked.names.at(0)}, wanted);
      },
      with.settings.database_patience);
  if (put.error() == errc::no_room) return refusal(problem_code::too_many_devices);
  if (!put) return problem_of(put.why());
  auto row = told_outlet(wanted.id, wanted.of);
  row["registered_at"] = put->registered_at;
  answer told;
  told.status = put->created ? 201 : 200;
  told.body = dumped(row);
  return told;
}

or_problem<answer> list_devices(const request& asked, const means& with) {
  if (!can_be_there(asked)) return refusal(problem_code::not_found);
  const auto found = with.sessions.with(
      [&](storage::session& db) {
        return storage::list_devices(db, asked.tenant, {asked.names.at(0)});
      },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  answer told;
  told.body = told_devices(*found);
  return told;
}

or_problem<answer> delete_device(const request& asked, const means& with) {
  if (!can_be_there(asked)) return refusal(problem_code::not_found);
  const auto ended = with.sessions.with(
      [&](storage::session& db) {
        return storage::end_device(db, asked.tenant, {asked.names.at(0)}, asked.names.at(1));
      },
      with.settings.database_patience);
  if (!ended) return problem_of(ended.why());
  answer told;
  told.status = 204;
  return told;
}

} // namespace arauto::http
