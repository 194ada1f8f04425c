#include "deployment/provider_check.hpp"

#include <chrono>
#include <filesystem>

#include <unistd.h>

#include "actors/channels/smtp_greeting.hpp"
#include "deployment/trouble.hpp"

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

} // namespace

std::string check_provider(const mail_settings& mail) {
  switch (mail.transport) {
  case mail_transport::smtp: return check_smtp(mail.smtp);
  case mail_transport::file: return check_directory(mail.directory);
  case mail_transport::undecided: break;
  }
  return "none set: `serve` needs smtp.host, or mail.transport = file and mail.directory";
}

} // namespace arauto::deployment
