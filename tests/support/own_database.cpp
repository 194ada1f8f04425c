#include "tests/support/own_database.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

#include <pqxx/pqxx>

#include "storage/model/chance.hpp"
#include "storage/schema.hpp"

namespace arauto::tests {

namespace fs = std::filesystem;

namespace {

// Taken while the template is made: test programs run side by side.
constexpr auto template_lock = "select pg_advisory_lock(7207)";

struct shared_server {
  passable_directory directory;
  deployment::private_postgres postgres{directory.path / "postgres"};
};

std::string server_url() {
  if (const auto* given = std::getenv("ARAUTO_TEST_POSTGRES")) return given;
  static shared_server server;
  return server.postgres.url("postgres");
}

void migrate(const std::string& url) {
  storage::database_settings settings;
  settings.url = url;
  settings.statement_timeout = std::chrono::minutes{1};
  settings.silence_timeout = std::chrono::minutes{2};
  storage::session db{settings};
  const auto version = storage::migrate(db);
  if (!version) throw std::runtime_error{"migrate: " + version.why().text};
}

// A server that lives longer than one version of the schema gets a new template for each.
std::string template_name() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator{fs::path{ARAUTO_SOURCE_DIR} / "storage/sql"})
    if (entry.path().extension() == ".sql") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const auto& file : files) {
    std::ifstream in{file};
    all.append(std::istreambuf_iterator<char>{in}, {});
  }
  return "arauto_template_" + sha256_hex(all).substr(0, 16);
}

void make_template(const std::string& name) {
  pqxx::connection server{server_url()};
  pqxx::nontransaction work{server};
  work.exec(template_lock); // released with the connection
  if (!work.exec_params("select 1 from pg_database where datname = $1", name).empty()) return;
  const auto half_made = name + "_new";
  work.exec("drop database if exists " + half_made);
  work.exec("create database " + half_made);
  migrate(with_database(server_url(), half_made));
  work.exec("alter database " + half_made + " rename to " + name);
}

std::string create(const std::string& from) {
  std::string name = "t_";
  for (const auto c : random_base62(16))
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  pqxx::connection server{server_url()};
  pqxx::nontransaction work{server};
  work.exec("create database " + name + (from.empty() ? "" : " template " + from));
  return name;
}

void drop(const std::string& name) {
  try {
    pqxx::connection server{server_url()};
    pqxx::nontransaction work{server};
    work.exec("drop database if exists " + name + " with (force)");
  } catch (const std::exception&) {
    // nop: the server may be gone already, and with it the database
  }
}

const std::string& finished_template() {
  static const auto name = [] {
    auto made = template_name();
    make_template(made);
    return made;
  }();
  return name;
}

fs::path make_directory() {
  auto path = fs::path{"/tmp"} / ("arauto-test-" + random_base62(12));
  fs::create_directory(path);
  fs::permissions(path, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  return path;
}

} // namespace

std::string with_database(const std::string& url, const std::string& database) {
  const auto authority = url.find("://") + 3;
  const auto path = std::min(url.find('/', authority), url.size());
  const auto query = std::min(url.find('?', authority), url.size());
  return url.substr(0, std::min(path, query)) + "/" + database + url.substr(query);
}

passable_directory::passable_directory() : path{make_directory()} {}

passable_directory::~passable_directory() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

own_database::own_database()
    : name{create(finished_template())}, url{with_database(server_url(), name)} {}

own_database::~own_database() {
  drop(name);
}

storage::database_settings own_database::settings() const {
  storage::database_settings made;
  made.url = url;
  return made;
}

empty_database::empty_database() : name{create("")}, url{with_database(server_url(), name)} {}

empty_database::~empty_database() {
  drop(name);
}

own_server::own_server() : postgres{directory.path / "postgres"} {
  migrate(postgres.url());
}

storage::database_settings own_server::settings() const {
  storage::database_settings made;
  made.url = postgres.url();
  return made;
}

} // namespace arauto::tests
