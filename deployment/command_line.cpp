#include <csignal>
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include <unistd.h>

#include "deployment/commands.hpp"
#include "deployment/dev.hpp"
#include "deployment/trouble.hpp"

namespace arauto::deployment {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> environment() {
  std::vector<std::string> entries;
  for (auto** entry = environ; *entry != nullptr; ++entry)
    entries.emplace_back(*entry);
  return entries;
}

// --settings, ARAUTO_SETTINGS, or arauto.toml where we stand. A file that was named must be there.
fs::path settings_file(const std::string& flag) {
  const auto* named = std::getenv("ARAUTO_SETTINGS");
  fs::path file = !flag.empty() ? flag : named != nullptr ? named : "";
  if (!file.empty() && !fs::exists(file))
    throw trouble{"there is no settings file " + file.string()};
  if (file.empty() && fs::exists("arauto.toml")) return "arauto.toml";
  return file;
}

class options {
public:
  explicit options(CLI::App& app) {
    app.add_option("--settings", file_,
                   "settings file; arauto.toml of the current directory unless given");
    for (const auto& each : all_settings()) {
      if (each.secret)
        refuse(app, each);
      else
        app.add_option(flag_name(each), flags_[each.name], each.purpose)->group("Settings");
    }
  }

  settings read(const CLI::App& app) const {
    sources from{settings_file(file_), environment(), {}};
    for (const auto& each : all_settings())
      if (!each.secret && app.count(flag_name(each)) > 0)
        from.flags[each.name] = flags_.at(each.name);
    return read_settings(from);
  }

private:
  static void refuse(CLI::App& app, const setting& what) {
    const auto why = flag_name(what) + ": the argument list is public; use "
                     + environment_name(what) + " or " + what.name + "_file";
    app.add_option_function<std::string>(flag_name(what),
                                         [why](const std::string&) { throw trouble{why}; })
        ->group(""); // not in the help
  }

  std::string file_;
  std::map<std::string, std::string> flags_;
};

void print_settings() {
  for (const auto& each : all_settings())
    std::cout << std::left << std::setw(27) << each.name << std::setw(35) << environment_name(each)
              << each.purpose << (each.secret ? " (no flag: it is a secret)" : "") << "\n";
}

} // namespace

storage::database_settings database_of(const settings& from) {
  auto made = from.office.database;
  if (!made.url.empty()) return made;
  const auto dev = read_dev_facts(from.data);
  if (!dev)
    throw trouble{"database.url is not set (ARAUTO_DATABASE_URL, --database-url or arauto.toml), "
                  "and there is no "
                  + (from.data / "dev.json").string()};
  made.url = dev->database_url;
  return made;
}

void add_settings(command_line line) {
  line.app.add_subcommand("settings", "list all settings")->final_callback(print_settings);
}

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN); // a peer that hangs up is an answer, not an end
  CLI::App app{"arauto tells people what happened, and does not lose the news", "arauto"};
  app.set_version_flag("--version", "arauto 0.1.0");
  app.require_subcommand(1)->fallthrough();
  const options given{app};
  int code = exit_good;
  const command_line line{app,
                          [&] {
                            auto read = given.read(app);
                            log::start(read.log_level);
                            return read;
                          },
                          code};
  for (const auto add : {add_serve, add_dev, add_migrate, add_tenant, add_key, add_suppression,
                         add_door, add_account, add_vapid, add_secrets, add_send, add_status,
                         add_resolve, add_dead, add_replay, add_check, add_postgres, add_settings})
    add(line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? exit_good : exit_usage;
  } catch (const std::exception& e) {
    std::cerr << "arauto: " << e.what() << std::endl;
    return exit_trouble;
  }
  return code;
}

} // namespace arauto::deployment
