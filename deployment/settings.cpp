#include "deployment/settings.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include <toml++/toml.h>

#include "deployment/setting_kinds.hpp"
#include "deployment/trouble.hpp"

namespace arauto::deployment {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view environment_prefix = "ARAUTO_";
// Names under the prefix that are no settings: where the settings are, and what tests hand to each
// other.
constexpr std::string_view environment_file = "ARAUTO_SETTINGS";
constexpr std::string_view environment_tests = "ARAUTO_TEST_";

std::string replaced(std::string text, char what, char by) {
  std::replace(text.begin(), text.end(), what, by);
  return text;
}

const setting* find(const std::string& name) {
  const auto& all = all_settings();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == name; });
  return found == all.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(const std::string& origin, const std::string& why) {
  throw trouble{origin + ": " + why};
}

void put(settings& into, const setting& what, const std::string& value, const std::string& origin) {
  if (!what.put(into, value)) refuse(origin, what.name + " must be " + what.kind);
  into.given[what.name] = origin;
}

std::string scalar(const toml::node& node, const std::string& name, const std::string& origin) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto yes = node.value_exact<bool>()) return *yes ? "true" : "false";
  refuse(origin, name + " must be a text, a whole number or true/false");
}

bool readable_by_others(const fs::path& file) {
  return (fs::status(file).permissions() & (fs::perms::group_read | fs::perms::others_read))
         != fs::perms::none;
}

void put_table(settings& into, const toml::table& table, const std::string& prefix,
               const fs::path& file) {
  for (const auto& [key, node] : table) {
    auto name = prefix;
    name += key.str();
    if (const auto* inner = node.as_table()) {
      put_table(into, *inner, name += '.', file);
      continue;
    }
    auto origin = file.string();
    origin += " line " + std::to_string(node.source().begin.line);
    const auto* known = find(name);
    if (known == nullptr) refuse(origin, "unknown setting " + name);
    if (known->secret && readable_by_others(file))
      refuse(origin, name + " is a secret, and others may read this file (chmod 600)");
    put(into, *known, scalar(node, name, origin), origin);
  }
}

void put_file(settings& into, const fs::path& file) {
  try {
    put_table(into, toml::parse_file(file.string()), "", file);
  } catch (const toml::parse_error& e) {
    throw trouble{file.string() + " line " + std::to_string(e.source().begin.line) + ": "
                  + std::string{e.description()}};
  }
}

void put_environment(settings& into, const std::vector<std::string>& environment) {
  for (const auto& entry : environment) {
    const auto split = entry.find('=');
    const auto name = entry.substr(0, split);
    if (name.rfind(environment_prefix, 0) != 0 || name.rfind(environment_tests, 0) == 0) continue;
    if (name == environment_file) continue;
    const auto& all = all_settings();
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const auto& s) { return environment_name(s) == name; });
    if (known == all.end()) refuse("environment", "unknown setting " + name);
    put(into, *known, entry.substr(split + 1), name);
  }
}

// The file that holds a secret says it in its first line.
std::string first_line(const settings& from, const std::string& name, const std::string& file) {
  std::ifstream in{file};
  std::string line;
  if (!std::getline(in, line) || line.empty())
    throw trouble{from.given.at(name) + ": " + name + ": cannot read " + file
                  + ", or its first line is empty"};
  return line;
}

void read_secret_files(settings& into) {
  const auto read = [&](const char* from, const std::string& file, std::string& target) {
    if (into.was_given(from)) target = first_line(into, from, file);
  };
  read("smtp.password_file", into.mail.password_file, into.mail.smtp.password);
  read("database.url_file", into.database_url_file, into.office.database.url);
  read("client.key_file", into.client_key_file, into.client_key);
}

} // namespace

std::string environment_name(const setting& what) {
  auto name = std::string{environment_prefix} + replaced(what.name, '.', '_');
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return name;
}

std::string flag_name(const setting& what) {
  return "--" + replaced(replaced(what.name, '.', '-'), '_', '-');
}

settings read_settings(const sources& from) {
  settings made;
  if (!from.file.empty()) put_file(made, from.file);
  put_environment(made, from.environment);
  for (const auto& [name, value] : from.flags) {
    const auto* known = find(name);
    if (known == nullptr || known->secret) throw trouble{"unknown setting " + name};
    put(made, *known, value, flag_name(*known));
  }
  derive_settings(made);
  check_contradictions(made);
  read_secret_files(made);
  return made;
}

} // namespace arauto::deployment
