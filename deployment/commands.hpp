// The subcommands of the program. Each adds itself to the command line; when it was chosen, CLI11
// calls it back with the settings of this run read. A command throws trouble for whatever a person
// has to mend.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "deployment/settings.hpp"
#include "storage/audit.hpp"
#include "storage/session.hpp"

namespace arauto::deployment {

struct command_line {
  CLI::App& app;
  std::function<settings()> read; // the three sources, once the arguments are known
  int& code;                      // of the process; a command sets it when it is not good
};

void add_serve(command_line line);
void add_dev(command_line line);
void add_migrate(command_line line);
void add_tenant(command_line line);
void add_key(command_line line);
void add_door(command_line line);
void add_suppression(command_line line);
void add_account(command_line line);
void add_vapid(command_line line);
void add_secrets(command_line line);
void add_send(command_line line);
void add_status(command_line line);
void add_resolve(command_line line);
void add_dead(command_line line);
void add_replay(command_line line);
void add_check(command_line line);
void add_postgres(command_line line);
void add_settings(command_line line);

// Runs the program: arguments, environment, one command.
int run(int argc, char** argv);

// The database of the settings; where none is given, that of the `arauto dev` in the data
// directory.
storage::database_settings database_of(const settings& from);

// Who changes something from the command line, for the record.
storage::signature of_this_account();

} // namespace arauto::deployment
