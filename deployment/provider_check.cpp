#include "deployment/provider_check.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <vector>

#include <unistd.h>

#include "actors/accounts.hpp"
#include "actors/channels/smtp_greeting.hpp"
#include "deployment/house_accounts.hpp"
#include "deployment/trouble.hpp"
#include "storage/accounts.hpp"

namespace arauto::deployment {

namespace {

std::string check_smtp(const channels::smtp_settings& account) {
  const auto found = channels::greeted_by(account, std::chrono::seconds{5});
  if (!found.good) throw trouble{"smtp.host: " + found.words};
  return found.words;
}

std::string check_directory(const std::string& directory) {
  if (!std::filesystem::is_directory(directory) || ::access(directory.c_str(), W_OK) != 0)
    throw trouble{"mail.directory: " + directory + " is no directory we may write in"};
  return "mails become files in " + directory;
}

// As it stands now; a removed one is nothing.
std::vector<storage::account_place> accounts_of_tenants(storage::session& db) {
  constexpr int rows_at_once = 500;
  std::map<std::string, storage::account_place> standing; // by id: the newest version wins
  std::int64_t version = 0;
  for (std::size_t seen = rows_at_once; seen == rows_at_once;) {
    const auto some = storage::accounts_since(db, version, rows_at_once);
    if (!some) fail("cannot read accounts", some.why());
    seen = some->size();
    for (const auto& place : *some) {
      standing.insert_or_assign(place.id, place);
      version = place.version;
    }
  }
  std::vector<storage::account_place> all;
  for (auto& [id, place] : standing)
    if (!place.removed) all.push_back(std::move(place));
  return all;
}

} // namespace

std::string check_provider(const mail_settings& mail) {
  switch (mail.transport) {
  case mail_transport::smtp: return check_smtp(mail.smtp);
  case mail_transport::file: return check_directory(mail.directory);
  case mail_transport::undecided: break;
  }
  return "none set: `serve` needs smtp.host, or mail.transport = file and mail.directory";
}

bool check_accounts(const settings& with, storage::session& db,
                    const std::function<void(const std::string& line)>& say) {
  const auto means = push_means(with);
  bool all_good = true;
  const auto tell = [&](const std::string& name, const channels::account_check& found) {
    all_good = all_good && found.good;
    say(name + (found.good ? ": " : ": NOT GOOD: ") + found.words);
  };
  for (const auto& [via, form] : house_push_accounts(with))
    tell(name_of(house_account(via).place), channels::check_account(via, form, means));
  const auto seals = read_seals(with);
  for (const auto& place : accounts_of_tenants(db)) {
    const auto account = storage::find_account(db, seals, place.id);
    if (!account) {
      tell(name_of(place), {false, to_string(account.error()) + " " + account.why().text});
      continue;
    }
    tell(name_of(place), channels::check_account(place.of.via,
                                                 {nlohmann::json::parse(account->open),
                                                  nlohmann::json::parse(account->secret)},
                                                 means));
  }
  return all_good;
}

} // namespace arauto::deployment
