#include "deployment/program.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deployment/trouble.hpp"

namespace arauto::deployment {

namespace {

constexpr int cannot_start = 127;

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> made;
  made.reserve(words.size() + 1);
  for (const auto& word : words)
    made.push_back(const_cast<char*>(word.c_str()));
  made.push_back(nullptr);
  return made;
}

bool become(const account& who) {
  return ::setgroups(who.groups.size(), who.groups.data()) == 0 && ::setgid(who.group) == 0
         && ::setuid(who.user) == 0;
}

bool redirect(int input, int output, int error) {
  return ::dup2(input, 0) == 0 && ::dup2(output, 1) == 1 && ::dup2(error, 2) == 2;
}

int how_it_ended(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class file {
public:
  file(const std::filesystem::path& path, int how)
      : number{::open(path.c_str(), how | O_CLOEXEC, 0600)} {
    if (number < 0) throw trouble{"cannot open " + path.string() + ": " + std::strerror(errno)};
  }
  ~file() { ::close(number); }
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  const int number;
};

} // namespace

std::optional<account> account_named(const std::string& name) {
  const auto* entry = ::getpwnam(name.c_str());
  if (entry == nullptr) return std::nullopt;
  account found{name, entry->pw_uid, entry->pw_gid, std::vector<gid_t>(64)};
  auto count = static_cast<int>(found.groups.size());
  if (::getgrouplist(name.c_str(), found.group, found.groups.data(), &count) < 0)
    throw trouble{"account " + name + " is in more than 64 groups"};
  found.groups.resize(static_cast<std::size_t>(count));
  return found;
}

pid_t start(const program& what) {
  const auto words = pointers(what.words);
  const auto environment = pointers(what.environment);
  const file input{what.input, O_RDONLY};
  const file output{what.output, O_WRONLY | O_CREAT | O_APPEND};
  const file error{what.error.empty() ? what.output : what.error, O_WRONLY | O_CREAT | O_APPEND};
  const auto parent = ::getpid();
  const auto pid = ::fork();
  if (pid < 0) throw trouble{"cannot start " + what.words.front() + ": " + std::strerror(errno)};
  if (pid > 0) return pid;

  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none,
                nullptr); // main blocks what it waits for; that must not be inherited
  if (what.own_session) ::setsid();
  if (what.as && !become(*what.as)) ::_exit(cannot_start);
  if (what.signal_when_we_die != 0) {
    ::prctl(PR_SET_PDEATHSIG, what.signal_when_we_die); // after setuid, which clears it
    if (::getppid() != parent) ::_exit(cannot_start);
  }
  if (!redirect(input.number, output.number, error.number)) ::_exit(cannot_start);
  if (::chdir(what.directory.c_str()) != 0) ::_exit(cannot_start);
  ::execve(words.front(), words.data(), environment.data());
  ::_exit(cannot_start);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      throw trouble{std::string{"cannot wait for a program: "} + std::strerror(errno)};
  return how_it_ended(status);
}

std::optional<int> ended(pid_t pid) {
  int status = 0;
  return ::waitpid(pid, &status, WNOHANG) == pid ? std::optional{how_it_ended(status)}
                                                 : std::nullopt;
}

bool exists(pid_t pid) {
  return ::kill(pid, 0) == 0 || errno == EPERM;
}

std::optional<std::filesystem::path> first_closed(const std::filesystem::path& inside,
                                                  const account& who) {
  std::vector<std::string> way;
  std::filesystem::path so_far;
  for (const auto& step : std::filesystem::absolute(inside).lexically_normal()) {
    so_far /= step;
    if (std::filesystem::exists(so_far)) way.push_back(so_far.string());
  }
  const auto pid = ::fork();
  if (pid < 0) throw trouble{std::string{"cannot fork: "} + std::strerror(errno)};
  if (pid == 0) {
    if (!become(who)) ::_exit(cannot_start);
    for (std::size_t n = 0; n < way.size() && n < 120; ++n)
      if (::access(way[n].c_str(), X_OK) != 0) ::_exit(static_cast<int>(n) + 1);
    ::_exit(0);
  }
  const auto code = wait_for(pid);
  if (code == cannot_start) throw trouble{"cannot become account " + who.name};
  if (code == 0) return std::nullopt;
  return way.at(static_cast<std::size_t>(code) - 1);
}

} // namespace arauto::deployment
