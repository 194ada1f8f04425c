#include "deployment/private_postgres.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deployment/trouble.hpp"
#include "storage/model/chance.hpp"

namespace arauto::deployment {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr auto start_patience = 60s; // recovery after a crash is included
constexpr auto last_words = 1s;      // a postmaster that was told to end says so by then
constexpr auto stop_patience = 30s;
constexpr std::size_t socket_path_bytes_max = 107;
constexpr std::uintmax_t log_bytes_max = 10U << 20U;

std::string read_text(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<std::string> read_lines(const fs::path& file) {
  std::istringstream in{read_text(file)};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

std::string last_lines(const fs::path& file, std::size_t count) {
  const auto lines = read_lines(file);
  std::string text;
  for (auto n = lines.size() - std::min(lines.size(), count); n < lines.size(); ++n)
    text += "\n  " + lines[n];
  return text;
}

// What the postmaster says of itself in postmaster.pid (PostgreSQL's own format: line 1 pid, 4
// port, 8 status).
struct postmaster {
  pid_t pid = 0;
  int port = 0;
  bool ready = false;
};

postmaster read_postmaster(const fs::path& data) {
  const auto lines = read_lines(data / "postmaster.pid");
  postmaster found;
  if (!lines.empty()) found.pid = std::atoi(lines[0].c_str());
  if (lines.size() > 3) found.port = std::atoi(lines[3].c_str());
  if (lines.size() > 7) found.ready = lines[7].rfind("ready", 0) == 0;
  return found;
}

// A postmaster and its children work in the data directory; a recycled pid does not.
bool works_in(pid_t pid, const fs::path& data) {
  std::error_code unknown;
  const auto where = fs::read_symlink("/proc/" + std::to_string(pid) + "/cwd", unknown);
  return !unknown && where == fs::canonical(data);
}

bool anyone_works_in(const fs::path& data) {
  for (const auto& entry : fs::directory_iterator{"/proc"}) {
    const auto pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && works_in(pid, data)) return true;
  }
  return false;
}

// `wanted` if nobody listens there, else any free one. Another program may still be faster: the
// caller tries again.
int free_port(int wanted) {
  const auto socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(static_cast<std::uint16_t>(wanted));
  auto* address = reinterpret_cast<sockaddr*>(&where);
  auto size = static_cast<socklen_t>(sizeof where);
  auto bound = ::bind(socket, address, size);
  if (bound != 0) {
    where.sin_port = 0;
    bound = ::bind(socket, address, size);
  }
  if (bound == 0) bound = ::getsockname(socket, address, &size);
  ::close(socket);
  if (bound != 0) throw trouble{std::string{"no free port on 127.0.0.1: "} + std::strerror(errno)};
  return ntohs(where.sin_port);
}

// The programs of the version that made the cluster, or of the newest one installed.
fs::path find_programs(const fs::path& data) {
  const fs::path root = "/usr/lib/postgresql";
  auto version = read_text(data / "PG_VERSION");
  version.erase(std::remove(version.begin(), version.end(), '\n'), version.end());
  if (version.empty() && fs::exists(root)) {
    int newest = 0;
    for (const auto& entry : fs::directory_iterator{root})
      if (fs::exists(entry.path() / "bin/initdb"))
        newest = std::max(newest, std::atoi(entry.path().filename().c_str()));
    version = std::to_string(newest);
  }
  auto found = root / version / "bin";
  if (!fs::exists(found / "postgres"))
    throw trouble{"no PostgreSQL programs in " + found.string()
                  + ": install postgresql-15, or name a running server with --database-url"};
  return found;
}

void give_to(const fs::path& what, const std::optional<account>& whom) {
  if (whom && ::chown(what.c_str(), whom->user, whom->group) != 0)
    throw trouble{"cannot give " + what.string() + " to " + whom->name + ": "
                  + std::strerror(errno)};
}

} // namespace

private_postgres::private_postgres(const fs::path& directory)
    : directory_{fs::absolute(directory)} {
  if (::geteuid() == 0) {
    account_ = account_named("postgres");
    if (!account_)
      throw trouble{"PostgreSQL does not run as root, and there is no account postgres"};
  }
  open_directory();
  take_lock();
  programs_ = find_programs(data());
  make_cluster();
  password_ = read_text(directory_ / "password");
  start();
}

private_postgres::~private_postgres() {
  try {
    stop();
  } catch (const std::exception&) {
    // nop: the kernel tells PostgreSQL to stop when we are gone
  }
}

private_postgres::lock::~lock() {
  if (file >= 0) ::close(file);
}

void private_postgres::open_directory() {
  std::error_code why;
  if (!fs::exists(directory_)) {
    fs::create_directories(directory_.parent_path(), why);
    if (!why) fs::create_directory(directory_, why);
    if (why) throw trouble{"--data: cannot make " + directory_.string() + ": " + why.message()};
    give_to(directory_, account_);
  }
  fs::permissions(directory_, fs::perms::owner_all, why);
  if (why) throw trouble{"--data: " + directory_.string() + " is not ours: " + why.message()};
  if (!account_) return;
  if (const auto closed = first_closed(directory_, *account_))
    throw trouble{"--data: the account postgres may not enter " + closed->string()
                  + "; choose a directory elsewhere, or open this one (chmod o+x)"};
}

void private_postgres::take_lock() {
  const auto file = directory_ / "lock";
  lock_.file = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_.file < 0)
    throw trouble{"--data: cannot open " + file.string() + ": " + std::strerror(errno)};
  if (::flock(lock_.file, LOCK_EX | LOCK_NB) != 0)
    throw trouble{"--data: another arauto is running in " + directory_.string()};
}

program private_postgres::postgres_program(const std::string& name) const {
  program made;
  made.words = {(programs_ / name).string()};
  made.as = account_;
  made.output = directory_ / "postgres.log";
  return made;
}

// The cluster gets its name only when it is complete: a death on the way leaves nothing that looks
// like one.
void private_postgres::make_cluster() {
  if (fs::exists(data())) return;
  const auto half_made = directory_ / "data.new";
  const auto secret = directory_ / "password";
  const auto first_words = directory_ / "first.sql";
  fs::remove_all(half_made);
  std::ofstream{secret} << random_base62(32);
  std::ofstream{first_words} << "CREATE DATABASE arauto\n";
  fs::permissions(secret, fs::perms::owner_read | fs::perms::owner_write);
  give_to(secret, account_);

  auto initdb = postgres_program("initdb");
  for (const auto* word : {"--encoding=UTF8", "--no-locale", "--username=arauto",
                           "--auth-local=trust", "--auth-host=scram-sha-256", "--no-instructions"})
    initdb.words.emplace_back(word);
  initdb.words.push_back("--pgdata=" + half_made.string());
  initdb.words.push_back("--pwfile=" + secret.string());
  auto single = postgres_program("postgres");
  single.words.insert(single.words.end(), {"--single", "-D", half_made.string(), "postgres"});
  single.input = first_words;
  for (const auto& step : {initdb, single})
    if (wait_for(deployment::start(step)) != 0)
      throw trouble{"cannot make a PostgreSQL cluster in " + directory_.string() + ":"
                    + last_lines(directory_ / "postgres.log", 5)};
  fs::remove(first_words);
  fs::rename(half_made, data());
}

bool private_postgres::socket_fits() const {
  return (directory_ / ".s.PGSQL.65535.lock").string().size() <= socket_path_bytes_max;
}

std::string private_postgres::url(const std::string& database) const {
  return "postgresql://arauto:" + password_ + "@127.0.0.1:" + std::to_string(port_) + "/"
         + database;
}

std::string private_postgres::local_url(const std::string& database) const {
  if (!socket_fits()) return url(database);
  std::string host;
  for (const unsigned char c : directory_.string()) {
    char encoded[4];
    std::snprintf(encoded, sizeof encoded, "%%%02X", c);
    host += encoded;
  }
  return "postgresql://arauto@" + host + ":" + std::to_string(port_) + "/" + database;
}

bool private_postgres::running() const {
  return pid_ != 0 && works_in(pid_, data());
}

void private_postgres::start() {
  if (adopt()) return;
  forget_stale_pid();
  const auto log = directory_ / "postgres.log";
  if (fs::exists(log) && fs::file_size(log) > log_bytes_max) fs::resize_file(log, 0);
  const auto last_port = std::atoi(read_text(directory_ / "port").c_str());
  const auto give_up = std::chrono::steady_clock::now() + start_patience;
  // A second try has a reason: the port was taken meanwhile, or sessions of a killed postmaster are
  // still leaving.
  while (!try_start(free_port(port_ != 0 ? port_ : last_port))) {
    if (std::chrono::steady_clock::now() > give_up)
      throw trouble{"PostgreSQL does not start in " + directory_.string() + ":"
                    + last_lines(log, 5)};
    std::this_thread::sleep_for(500ms);
  }
  std::ofstream{directory_ / "port"} << port_;
}

// A postmaster whose arauto was killed may still be there: on its way out, as it was told when its
// owner died, although its file says ready for a moment yet; or staying.
bool private_postgres::adopt() {
  const auto begun = std::chrono::steady_clock::now();
  const auto give_up = begun + start_patience;
  for (;;) {
    const auto found = read_postmaster(data());
    if (found.pid <= 0 || !works_in(found.pid, data())) return false;
    if (found.ready && std::chrono::steady_clock::now() > begun + last_words) {
      pid_ = found.pid;
      port_ = found.port;
      child_ = false;
      return true;
    }
    if (std::chrono::steady_clock::now() > give_up)
      throw trouble{"a PostgreSQL in " + directory_.string() + " neither serves nor ends"};
    std::this_thread::sleep_for(50ms);
  }
}

// PostgreSQL clears a dead postmaster's file itself, but takes a recycled pid of its own account
// for a living one.
void private_postgres::forget_stale_pid() const {
  const auto found = read_postmaster(data());
  if (found.pid > 0 && exists(found.pid) && !anyone_works_in(data()))
    fs::remove(data() / "postmaster.pid");
}

bool private_postgres::try_start(int port) {
  auto postmaster = postgres_program("postgres");
  postmaster.words.insert(postmaster.words.end(), {"-D", data().string()});
  for (const auto& setting :
       {std::string{"listen_addresses=127.0.0.1"}, "port=" + std::to_string(port),
        "unix_socket_directories=" + (socket_fits() ? directory_.string() : ""),
        std::string{"fsync=on"}, std::string{"full_page_writes=on"},
        std::string{"max_connections=100"}, std::string{"shared_buffers=128MB"},
        std::string{"max_wal_size=2GB"}, std::string{"jit=off"},
        // values of rows and parameters stay out of the log
        std::string{"log_min_messages=warning"}, std::string{"log_min_error_statement=panic"},
        std::string{"log_parameter_max_length_on_error=0"},
        std::string{"log_error_verbosity=terse"}})
    postmaster.words.insert(postmaster.words.end(), {"-c", setting});
  postmaster.own_session = true;
  postmaster.signal_when_we_die = SIGINT;
  pid_ = deployment::start(postmaster);
  child_ = true;
  const auto give_up = std::chrono::steady_clock::now() + start_patience;
  while (std::chrono::steady_clock::now() < give_up) {
    const auto found = read_postmaster(data());
    if (found.pid == pid_ && found.ready) {
      port_ = found.port;
      return true;
    }
    if (ended(pid_)) {
      pid_ = 0;
      return false;
    }
    std::this_thread::sleep_for(10ms);
  }
  end_with(SIGQUIT);
  return false;
}

void private_postgres::stop() {
  end_with(SIGINT);
}

void private_postgres::stop_immediate() {
  end_with(SIGQUIT);
}

void private_postgres::end_with(int signal) {
  if (pid_ == 0) return;
  const auto gone = [this] { return child_ ? ended(pid_).has_value() : !works_in(pid_, data()); };
  for (const auto next : {signal, SIGQUIT, SIGKILL}) {
    ::kill(pid_, next);
    const auto give_up = std::chrono::steady_clock::now() + stop_patience;
    while (std::chrono::steady_clock::now() < give_up) {
      if (gone()) {
        pid_ = 0;
        return;
      }
      std::this_thread::sleep_for(5ms);
    }
  }
  throw trouble{"PostgreSQL in " + directory_.string() + " does not end"};
}

} // namespace arauto::deployment
