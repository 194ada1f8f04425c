#include "deployment/house_accounts.hpp"

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

#include "deployment/dev.hpp"
#include "deployment/trouble.hpp"
#include "storage/model/chance.hpp"

namespace arauto::deployment {

namespace {

using nlohmann::json;

// A member of an account, and the setting that it comes from.
struct source {
  const char* member;
  const char* setting;
};

[[noreturn]] void refuse(const settings& from, const std::string& setting, const std::string& why) {
  const auto given = from.given.find(setting);
  const auto where = given == from.given.end() ? "" : " (" + given->second + ")";
  throw trouble{setting + where + ": " + why};
}

std::string whole_file(const settings& from, const char* setting, const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  if (!in || text.empty()) refuse(from, setting, "cannot read " + file + ", or it is empty");
  return text;
}

void set_unless_empty(json& into, const char* name, const std::string& value) {
  if (!value.empty()) into[name] = value;
}

push_account judged(const settings& from, provider via, const json& given,
                    std::initializer_list<source> sources) {
  auto read = channels::read_account(via, given);
  if (read.faults.empty()) return {via, std::move(read.form)};
  const auto& fault = read.faults.front();
  std::string setting = sources.begin()->setting;
  std::string inner;
  for (const auto& each : sources) {
    const auto at = "/" + std::string{each.member};
    if (fault.pointer.rfind(at, 0) != 0) continue;
    setting = each.setting;
    inner = fault.pointer.substr(at.size());
  }
  if (!from.was_given(setting)) setting = sources.begin()->setting;
  refuse(from, setting, (inner.empty() ? "" : inner + " ") + fault.what);
}

push_account read_fcm(const settings& from) {
  const auto* setting = "fcm.service_account_file";
  json given;
  given["service_account"] =
      json::parse(whole_file(from, setting, from.push.fcm_service_account_file), nullptr, false);
  if (given["service_account"].is_discarded()) refuse(from, setting, "the file is no JSON");
  set_unless_empty(given, "url", from.push.fcm_url);
  return judged(from, provider::fcm, given, {{"service_account", setting}, {"url", "fcm.url"}});
}

push_account read_apns(const settings& from) {
  const auto& push = from.push;
  json given = {{"key", whole_file(from, "apns.key_file", push.apns_key_file)}};
  set_unless_empty(given, "key_id", push.apns_key_id);
  set_unless_empty(given, "team_id", push.apns_team_id);
  set_unless_empty(given, "environment", push.apns_environment);
  set_unless_empty(given, "topic", push.apns_topic);
  set_unless_empty(given, "url", push.apns_url);
  return judged(from, provider::apns, given,
                {{"key", "apns.key_file"},
                 {"key_id", "apns.key_id"},
                 {"team_id", "apns.team_id"},
                 {"topic", "apns.topic"},
                 {"url", "apns.url"}});
}

// The file: the key alone in base64url, or the account as `arauto vapid` prints it.
push_account read_web_push(const settings& from) {
  const auto* setting = "web_push.private_key_file";
  auto text = whole_file(from, setting, from.push.web_push_private_key_file);
  auto given = json::parse(text, nullptr, false);
  if (!given.is_object()) {
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    given = {{"private_key", text}};
  }
  given["subject"] = from.push.web_push_subject;
  return judged(from, provider::web_push, given,
                {{"private_key", setting}, {"subject", "web_push.subject"}});
}

} // namespace

std::vector<push_account> house_push_accounts(const settings& from) {
  std::vector<push_account> made;
  if (!from.push.fcm_service_account_file.empty()) made.push_back(read_fcm(from));
  if (!from.push.apns_key_file.empty()) made.push_back(read_apns(from));
  if (!from.push.web_push_private_key_file.empty()) made.push_back(read_web_push(from));
  return made;
}

storage::seal_ring read_seals(const settings& from) {
  const auto* setting = "secrets.key_file";
  auto file = from.seal_key_file;
  if (file.empty() && from.office.database.url.empty()) file = dev_seal_key_file(from.data);
  if (file.empty() || (!from.was_given(setting) && !std::filesystem::exists(file))) return {};
  auto ring = storage::seal_ring::read(whole_file(from, setting, file));
  if (!ring) refuse(from, setting, ring.why().text);
  return std::move(*ring);
}

channels::port_means push_means(const settings& from) {
  channels::port_means means;
  means.now = [] { return std::chrono::system_clock::now(); };
  means.random_bytes = [](std::size_t count) { return random_bytes(count); };
  means.ca_file = from.push.ca_file;
  means.sends_max = from.push.sends_max;
  means.connect_timeout = from.push.connect_timeout;
  means.answer_timeout = from.push.answer_timeout;
  means.private_endpoints = from.http.private_endpoints;
  return means;
}

} // namespace arauto::deployment
