// The program as somebody runs it: arguments, environment, what it says, signals, its exit code.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/own_database.hpp"

namespace arauto::tests {

// Path of the `arauto` of this build.
std::filesystem::path arauto_program();

struct run_options {
  std::vector<std::string> environment; // NAME=value; nothing is inherited but PATH
  std::filesystem::path directory;      // to run in; empty: one of its own
};

class child_process {
public:
  explicit child_process(std::vector<std::string> words, run_options options = {});
  ~child_process(); // kills what still runs
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  // The first line of standard output that begins so; nothing when the process ended before or time
  // is up.
  std::optional<std::string> line(const std::string& beginning, std::chrono::milliseconds within);
  void signal(int number) const;
  // Exit code, 128 + signal for a violent end; nothing when it does not end in time.
  std::optional<int> wait(std::chrono::milliseconds within);

  pid_t pid() const { return pid_; }
  std::string output() const;
  std::string errors() const;

private:
  passable_directory home_;
  pid_t pid_ = 0;
  std::optional<int> code_;
};

struct finished {
  int code = 0;
  std::string output, errors;
};

// Runs it to its end, which must come within a minute.
finished run_to_end(std::vector<std::string> words, run_options options = {});

} // namespace arauto::tests
