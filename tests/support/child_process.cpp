#include "tests/support/child_process.hpp"

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "deployment/program.hpp"

namespace arauto::tests {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

std::filesystem::path arauto_program() {
  const auto own = std::filesystem::read_symlink("/proc/self/exe").parent_path(); // <build>/tests
  return own.parent_path() / "arauto";
}

child_process::child_process(std::vector<std::string> words, run_options options) {
  deployment::program wanted;
  wanted.words = std::move(words);
  for (auto& entry : options.environment)
    wanted.environment.push_back(std::move(entry));
  wanted.directory = options.directory.empty() ? home_.path : options.directory;
  wanted.output = home_.path / "output";
  wanted.error = home_.path / "errors";
  wanted.signal_when_we_die = SIGTERM;
  pid_ = deployment::start(wanted);
}

child_process::~child_process() {
  if (code_) return;
  signal(SIGKILL);
  deployment::wait_for(pid_);
}

std::optional<std::string> child_process::line(const std::string& beginning,
                                               std::chrono::milliseconds within) {
  const auto give_up = steady::now() + within;
  for (;;) {
    const bool over =
        wait(0ms) || steady::now() > give_up; // before the look: nothing comes after it
    std::istringstream in{output()};
    for (std::string line; std::getline(in, line);)
      if (line.rfind(beginning, 0) == 0 && !in.eof()) return line;
    if (over) return std::nullopt;
    std::this_thread::sleep_for(5ms);
  }
}

void child_process::signal(int number) const {
  if (!code_) ::kill(pid_, number);
}

std::optional<int> child_process::wait(std::chrono::milliseconds within) {
  const auto give_up = steady::now() + within;
  while (!code_ && !(code_ = deployment::ended(pid_)) && steady::now() < give_up)
    std::this_thread::sleep_for(5ms);
  return code_;
}

std::string child_process::output() const {
  return read(home_.path / "output");
}

std::string child_process::errors() const {
  return read(home_.path / "errors");
}

finished run_to_end(std::vector<std::string> words, run_options options) {
  const auto name = words.front();
  child_process child{std::move(words), std::move(options)};
  const auto code = child.wait(60s);
  if (!code) throw std::runtime_error{name + " does not end"};
  return {*code, child.output(), child.errors()};
}

} // namespace arauto::tests
