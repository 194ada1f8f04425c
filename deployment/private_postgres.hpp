// A PostgreSQL of our own in one directory: made when the directory is empty, started, adopted when
// it already runs, stopped when we leave. It listens on 127.0.0.1 (password) and on a unix socket
// inside the directory, which only its account may enter. Run by root it works as Debian's account
// `postgres`.
//
//   <directory>/data  the cluster      <directory>/password  of its one role, `arauto`
//   <directory>/postgres.log           <directory>/lock      held by the arauto that looks after it
//
// If we are killed, PostgreSQL is told to stop by the kernel; the directory is good for the next
// start in every case. Threads: one at a time; the thread that starts it must live as long as it
// shall run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "deployment/program.hpp"

namespace arauto::deployment {

class private_postgres {
public:
  // Makes what is missing and starts. Throws trouble: no PostgreSQL installed, directory closed to
  // its account, another living arauto looks after it.
  explicit private_postgres(const std::filesystem::path& directory);
  ~private_postgres();
  private_postgres(const private_postgres&) = delete;
  private_postgres& operator=(const private_postgres&) = delete;

  // libpq URL over loopback, with the password in it.
  std::string url(const std::string& database = "arauto") const;
  // The same database by the unix socket, where its path is short enough for one; otherwise as
  // url().
  std::string local_url(const std::string& database = "arauto") const;

  void start();
  void stop();           // ends open sessions, writes everything down
  void stop_immediate(); // like a crash; the next start recovers
  bool running() const;

private:
  void open_directory();
  void take_lock();
  void make_cluster();
  bool adopt();
  bool try_start(int port);
  void end_with(int signal);
  void forget_stale_pid() const;
  program postgres_program(const std::string& name) const;
  std::filesystem::path data() const { return directory_ / "data"; }
  bool socket_fits() const;

  std::filesystem::path directory_;
  std::optional<account> account_;
  std::filesystem::path programs_;
  std::string password_;
  struct lock {
    ~lock();
    int file = -1;
  } lock_;
  bool child_ = false; // pid_ is our child and must be waited for
  pid_t pid_ = 0;
  int port_ = 0;
};

} // namespace arauto::deployment
