// Other programs, run as another account where that is needed: PostgreSQL refuses to work for root.
// Between fork and exec only system calls happen, so a process with threads may start programs too.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace arauto::deployment {

struct account {
  std::string name;
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;
};

std::optional<account> account_named(const std::string& name);

struct program {
  std::vector<std::string> words; // path of the program, then its arguments
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LC_ALL=C"}; // nothing is inherited
  std::optional<account> as;                                              // empty: as we are
  std::filesystem::path directory = "/";                                  // to work in
  std::filesystem::path input = "/dev/null";
  std::filesystem::path output;  // both streams are appended here
  std::filesystem::path error{}; // empty: where `output` goes
  bool own_session = false;      // a Ctrl-C of the terminal must not reach it
  int signal_when_we_die = 0;    // sent when the thread that started it is gone; 0: none
};

pid_t start(const program& what);    // throws trouble
int wait_for(pid_t pid);             // exit code; 128 + signal for a violent end
std::optional<int> ended(pid_t pid); // as wait_for, without waiting
bool exists(pid_t pid);

// The first directory on the way to `inside` (itself included, if it exists) that `who` may not
// enter.
std::optional<std::filesystem::path> first_closed(const std::filesystem::path& inside,
                                                  const account& who);

} // namespace arauto::deployment
