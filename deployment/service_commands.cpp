// serve, dev, migrate, postgres, check: what runs the service or looks after what it stands on.
#include <iostream>

#include "deployment/commands.hpp"
#include "deployment/dev.hpp"
#include "deployment/private_postgres.hpp"
#include "deployment/provider_check.hpp"
#include "deployment/service.hpp"
#include "deployment/signals.hpp"
#include "deployment/trouble.hpp"
#include "http/tls.hpp"
#include "storage/schema.hpp"

namespace arauto::deployment {

namespace fs = std::filesystem;

namespace {

void say_ready(const std::string& url) {
  std::cout << "ready " << url << std::endl;
}

bool has_password(const std::string& url) {
  const auto authority = url.find("://");
  const auto at = url.find('@');
  const bool between =
      authority != std::string::npos && at != std::string::npos
      && url.substr(authority + 3, at - authority - 3).find(':') != std::string::npos;
  return between || url.find("password=") != std::string::npos;
}

void warn_of_public_password(const settings& with) {
  const auto given = with.given.find("database.url");
  if (given != with.given.end() && given->second == "--database-url"
      && has_password(with.office.database.url))
    log::warn("password_in_arguments",
              {{"setting", "database.url"}, {"better", "ARAUTO_DATABASE_URL"}});
}

std::string check_certificate(const http_settings& door) {
  if (door.certificate_file.empty()) return "none: the API is served in clear";
  const auto read = http::tls_certificate::read(door.certificate_file, door.key_file);
  if (!read) fail("tls", read.why());
  return "certificate and key fit together";
}

int run_serve(const settings& with) {
  hold_signals();
  if (with.office.database.url.empty())
    throw trouble{"database.url is not set: ARAUTO_DATABASE_URL, --database-url or arauto.toml"};
  warn_of_public_password(with);
  prepare_database(with.office.database);
  return serve(with, say_ready);
}

int run_dev(settings with) {
  hold_signals();
  with.data = fs::absolute(with.data).lexically_normal();
  make_data_directory(with.data);
  std::optional<private_postgres> postgres;
  std::string public_url = with.office.database.url;
  if (with.office.database.url.empty()) {
    postgres.emplace(with.data / "postgres");
    with.office.database.url = postgres->local_url();
    public_url = postgres->url();
  }
  const auto own_directory = [&](const char* name) {
    const auto made = with.data / name;
    if (fs::create_directory(made)) fs::permissions(made, fs::perms::owner_all);
    return made.string();
  };
  if (with.mail.transport == mail_transport::undecided) {
    with.mail.transport = mail_transport::file;
    with.mail.directory = own_directory("mail");
  }
  if (with.push.directory.empty()) with.push.directory = own_directory("push");
  if (with.seal_key_file.empty()) {
    make_seal_key_file(with.data);
    with.seal_key_file = dev_seal_key_file(with.data).string();
  }
  prepare_database(with.office.database);
  storage::session db{with.office.database};
  auto facts = prepare_sample(db, read_dev_facts(with.data));
  db.discard();
  facts.database_url = public_url;
  facts.mail_dir = with.mail.directory;
  facts.push_dir = with.push.directory;
  return serve(with, [&](const std::string& url) {
    facts.url = url;
    write_dev_facts(with.data, facts);
    say_ready(url);
  });
}

int run_postgres(const settings& with) {
  hold_signals();
  make_data_directory(with.data);
  const private_postgres postgres{fs::absolute(with.data) / "postgres"};
  std::cout << "ready " << postgres.url("postgres") << std::endl;
  wait_for_signal();
  return exit_good;
}

} // namespace

void add_serve(command_line line) {
  line.app.add_subcommand("serve", "run the service against the database of the settings")
      ->final_callback([line] { line.code = run_serve(line.read()); });
}

void add_dev(command_line line) {
  line.app
      .add_subcommand(
          "dev",
          "run everything in one directory: a private PostgreSQL, mails and pushes as files, "
          "a sample tenant")
      ->final_callback([line] { line.code = run_dev(line.read()); });
}

void add_migrate(command_line line) {
  line.app.add_subcommand("migrate", "bring the schema of the database to this version")
      ->final_callback([line] {
        prepare_database(database_of(line.read()));
        std::cout << "schema " << storage::schema_version() << std::endl;
      });
}

void add_postgres(command_line line) {
  line.app.add_subcommand("postgres", "run only the private PostgreSQL of the data directory")
      ->final_callback([line] { line.code = run_postgres(line.read()); });
}

void add_check(command_line line) {
  line.app
      .add_subcommand("check", "try the settings: certificate, database, provider; changes nothing")
      ->final_callback([line] {
        const auto with = line.read();
        std::cout << "settings  good, " << with.given.size() << " given" << std::endl;
        std::cout << "tls       " << check_certificate(with.http) << std::endl;
        storage::session db{database_of(with)};
        const auto safe = storage::check_server(db);
        if (!safe) fail("database ", safe.why());
        std::cout << "database  reachable and safe" << std::endl;
        std::cout << "provider  " << check_provider(with.mail) << std::endl;
        const auto good = check_accounts(with, db, [](const std::string& line) {
          std::cout << "account   " << line << std::endl;
        });
        if (!good) line.code = exit_trouble;
      });
}

} // namespace arauto::deployment
