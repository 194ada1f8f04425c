// Every setting of the program in one table, from which the keys of arauto.toml, the names of
// environment variables (smtp.host: ARAUTO_SMTP_HOST), the flags (--smtp-host) and the printed list
// come. Later sources win: file, environment, flags. An unknown, unreadable or contradictory
// setting is trouble that names it and where it was given.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "actors/channels/smtp_settings.hpp"
#include "actors/settings.hpp"
#include "http/settings.hpp"
#include "storage/log.hpp"

namespace arauto::deployment {

enum class mail_transport : std::uint8_t { undecided, smtp, file };

struct mail_settings {
  mail_transport transport = mail_transport::undecided;
  std::string directory;        // file: where the .eml files go
  channels::smtp_settings smtp; // the sender in it also counts for files
  std::string password_file;
};

// The house's accounts at push providers as they were written (house_accounts.hpp reads them), and
// what every push account has in common.
struct push_settings {
  std::string fcm_service_account_file, fcm_url;
  std::string apns_key_file, apns_key_id, apns_team_id, apns_environment, apns_topic, apns_url;
  std::string web_push_private_key_file, web_push_subject;
  std::string directory; // development: what has no account becomes files in here
  std::size_t sends_max = 100;
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds answer_timeout{20'000};
  std::string ca_file;
};

struct settings {
  office_settings office;
  http_settings http;
  std::string database_url_file;          // office.database.url may stand in a file of its own
  std::size_t database_sessions_max = 16; // for HTTP handlers; keepers have their own
  mail_settings mail;
  push_settings push;
  std::string seal_key_file; // what seals the secrets of tenants' accounts
  std::filesystem::path data = ".arauto";
  std::string client_url, client_key, client_key_file; // of the commands that ask a running service
  std::chrono::milliseconds stop_limit{8'000};
  log::level log_level = log::level::info;

  // Name of each setting that somebody gave, and where: "arauto.toml line 3", "ARAUTO_LISTEN",
  // "--listen".
  std::map<std::string, std::string> given;
  bool was_given(const std::string& name) const { return given.count(name) != 0; }
};

struct setting {
  std::string name;
  std::string kind; // for people: "a duration (500ms, 30s, 5m, 1h)"
  std::string purpose;
  bool secret = false; // has no flag: argument lists are public
  // Takes the written value; false when it is not of the kind.
  std::function<bool(settings&, const std::string&)> put;
};

const std::vector<setting>& all_settings();
std::string environment_name(const setting& what);
std::string flag_name(const setting& what);

struct sources {
  std::filesystem::path file;               // empty: none
  std::vector<std::string> environment;     // as in environ: NAME=value
  std::map<std::string, std::string> flags; // by setting name
};

settings read_settings(const sources& from);

// What follows from others where nobody said otherwise. Called by read_settings.
void derive_settings(settings& what);

// Rules between settings. Called by read_settings; alone by tests.
void check_contradictions(const settings& what);

} // namespace arauto::deployment
