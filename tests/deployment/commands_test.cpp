#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <pqxx/pqxx>

#include "actors/channels/account.hpp"
#include "deployment/trouble.hpp"
#include "storage/schema.hpp"
#include "tests/support/certificate.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/own_database.hpp"
#include "tests/support/pgbouncer.hpp"
#include "tests/support/shop.hpp"

using namespace arauto::tests;
using namespace arauto::deployment;
using namespace std::chrono_literals;

namespace {

finished run_arauto(std::vector<std::string> words, std::vector<std::string> environment = {}) {
  words.insert(words.begin(), arauto_program().string());
  auto done = run_to_end(std::move(words), {std::move(environment), {}});
  BOOST_TEST_MESSAGE(done.code << " " << done.output << done.errors);
  return done;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in{text};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

struct with_database_of_its_own : own_database {
  std::vector<std::string> environment{"ARAUTO_DATABASE_URL=" + url};
};

} // namespace

BOOST_AUTO_TEST_SUITE(commands_suite)

BOOST_AUTO_TEST_CASE(wrong_arguments_are_told_apart_from_what_a_person_has_to_mend) {
  BOOST_TEST(run_arauto({}).code == exit_usage);
  BOOST_TEST(run_arauto({"fly"}).code == exit_usage);
  const auto unknown = run_arauto({"serve", "--smtp-hots", "mail.example"});
  BOOST_TEST(unknown.code == exit_usage);
  BOOST_TEST(has(unknown.errors, "--smtp-hots"));
  BOOST_TEST(run_arauto({"--help"}).code == exit_good);
  BOOST_TEST(has(run_arauto({"settings"}).output, "ARAUTO_SMTP_HOST"));
}

BOOST_AUTO_TEST_CASE(a_secret_in_the_argument_list_is_refused_and_not_repeated) {
  const auto refused = run_arauto({"serve", "--smtp-password", "hunter2"});
  BOOST_TEST(refused.code == exit_trouble);
  BOOST_TEST(has(refused.errors, "ARAUTO_SMTP_PASSWORD"));
  BOOST_TEST(!has(refused.output + refused.errors, "hunter2"));
}

BOOST_AUTO_TEST_CASE(a_pair_for_web_push_is_fresh_and_reads_as_an_account) {
  const auto first = run_arauto({"vapid", "--subject", "mailto:ops@loja.example"});
  BOOST_TEST(first.code == exit_good);
  const auto pair = nlohmann::json::parse(first.output);
  const auto read = arauto::channels::read_account(arauto::provider::web_push, pair);
  BOOST_TEST(read.faults.empty());
  BOOST_TEST(read.form.open.at("public_key") == pair.at("public_key"));
  BOOST_TEST(run_arauto({"vapid"}).output != run_arauto({"vapid"}).output);
}

BOOST_AUTO_TEST_CASE(serve_names_what_it_lacks) {
  const auto no_database = run_arauto({"serve"});
  BOOST_TEST(no_database.code == exit_trouble);
  BOOST_TEST(has(no_database.errors, "database.url is not set"));
  const auto no_file = run_arauto({"serve", "--settings", "/nowhere/arauto.toml"});
  BOOST_TEST(no_file.code == exit_trouble);
  BOOST_TEST(has(no_file.errors, "/nowhere/arauto.toml"));
}

BOOST_FIXTURE_TEST_CASE(serve_needs_a_way_out_for_mails, with_database_of_its_own) {
  const auto refused = run_arauto({"serve", "--listen", "127.0.0.1:0"}, environment);
  BOOST_TEST(refused.code == exit_trouble);
  BOOST_TEST(has(refused.errors, "smtp.host"));
}

BOOST_AUTO_TEST_CASE(migrate_makes_the_schema_and_a_second_run_changes_nothing) {
  const empty_database database;
  const std::vector<std::string> environment{"ARAUTO_DATABASE_URL=" + database.url};
  const auto schema = "schema " + std::to_string(arauto::storage::schema_version()) + "\n";
  for (int run = 0; run < 2; ++run) {
    const auto done = run_arauto({"migrate"}, environment);
    BOOST_TEST(done.code == exit_good);
    BOOST_TEST(done.output == schema);
  }
}

BOOST_FIXTURE_TEST_CASE(a_schema_newer_than_the_binary_is_refused_with_a_clear_word,
                        with_database_of_its_own) {
  pqxx::connection db{url};
  pqxx::work work{db};
  work.exec("insert into arauto.migration (number, name) values (9999, 'from_the_future')");
  work.commit();
  for (const auto* command : {"migrate", "serve"}) {
    const auto refused = run_arauto({command}, environment);
    BOOST_TEST(refused.code == exit_trouble);
    BOOST_TEST(has(refused.errors, "schema_too_new"));
    BOOST_TEST(has(refused.errors, "9999"));
  }
}

BOOST_FIXTURE_TEST_CASE(tenants_and_keys_are_kept_from_the_command_line, with_database_of_its_own) {
  BOOST_TEST(run_arauto({"tenant", "create", "acme", "--name", "Acme Ltd"}, environment).code
             == exit_good);
  const auto twice = run_arauto({"tenant", "create", "acme"}, environment);
  BOOST_TEST(twice.code == exit_trouble);
  BOOST_TEST(has(twice.errors, "acme"));
  BOOST_TEST(has(run_arauto({"tenant", "list"}, environment).output, "Acme Ltd"));

  BOOST_TEST(run_arauto({"key", "create", "nobody"}, environment).code == exit_trouble);
  BOOST_TEST(run_arauto({"key", "create"}, environment).code == exit_trouble);
  const auto key = lines_of(run_arauto({"key", "create", "acme"}, environment).output).at(0);
  BOOST_REQUIRE(key.rfind("ar_live_", 0) == 0);
  const auto prefix = key.substr(8, key.find('_', 8) - 8);
  const auto listed = run_arauto({"key", "list", "acme"}, environment).output;
  BOOST_TEST(has(listed, prefix));
  BOOST_TEST(!has(listed, key.substr(key.rfind('_') + 1)));
  BOOST_TEST(run_arauto({"key", "revoke", prefix}, environment).code == exit_good);
  BOOST_TEST(has(run_arauto({"key", "list", "acme"}, environment).output, "revoked"));
  BOOST_TEST(run_arauto({"key", "revoke", "nosuchprefix"}, environment).code == exit_trouble);
  const auto ours = run_arauto({"key", "create", "--operator"}, environment);
  BOOST_TEST(ours.code == exit_good);
  BOOST_TEST(ours.output.rfind("ar_op_", 0) == 0);

  const auto narrow = [&](const char* scopes, const char* ends) {
    return run_arauto({"key", "create", "acme", "--scopes", scopes, "--expires", ends, "--name",
                       "settings page"},
                      environment)
        .code;
  };
  BOOST_TEST(narrow("send,fly", "2099-01-01T00:00:00Z") == exit_trouble);
  BOOST_TEST(narrow("send", "tomorrow") == exit_trouble);
  BOOST_TEST(narrow("send", "2020-01-01T00:00:00Z") == exit_trouble);
  BOOST_TEST(narrow("send,read", "2099-01-01T00:00:00Z") == exit_good);
  BOOST_TEST(run_arauto({"key", "create", "acme"}, environment).code == exit_good);
  const auto third = run_arauto({"key", "create", "acme"}, environment);
  BOOST_TEST(third.code == exit_trouble);
  BOOST_TEST(has(third.errors, "revoke one first"));
  BOOST_TEST(has(run_arauto({"key", "list", "acme"}, environment).output, "settings page"));
}

BOOST_FIXTURE_TEST_CASE(a_tenant_is_stopped_and_an_address_lifted_from_the_command_line,
                        with_database_of_its_own) {
  BOOST_TEST(run_arauto({"tenant", "create", "acme"}, environment).code == exit_good);
  BOOST_TEST(has(run_arauto({"tenant", "stop", "acme"}, environment).output, "stopped"));
  BOOST_TEST(has(run_arauto({"tenant", "start", "acme"}, environment).output, "active"));
  BOOST_TEST(run_arauto({"tenant", "stop", "nobody"}, environment).code == exit_trouble);
  pqxx::connection db{url};
  pqxx::work work{db};
  work.exec(
      "insert into arauto.suppression values ('acme', 'email', sha256('ana@example.com'), 'x')");
  work.commit();
  const auto listed = run_arauto({"suppression", "list", "acme"}, environment).output;
  BOOST_TEST(lines_of(listed).size() == 1u);
  BOOST_TEST(!has(listed, "ana"));
  BOOST_TEST(run_arauto({"suppression", "list", "nobody"}, environment).code == exit_trouble);
  // No address comes from the argument list: here standard input is empty.
  BOOST_TEST(run_arauto({"suppression", "lift", "acme"}, environment).code == exit_trouble);
}

BOOST_FIXTURE_TEST_CASE(roles_are_bound_to_a_tenant_and_let_go, with_database_of_its_own) {
  const plain_role shop{url};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "door");
    return run_arauto(std::move(words), environment);
  };
  const auto no_tenant = run({"bind", shop.name, "--tenant", "acme"});
  BOOST_TEST(no_tenant.code == exit_trouble);
  BOOST_TEST(has(no_tenant.errors, "there is no tenant acme"));
  BOOST_TEST(run_arauto({"tenant", "create", "acme"}, environment).code == exit_good);
  BOOST_TEST(has(run({"bind", "no_such", "--tenant", "acme"}).errors, "no database role no_such"));
  BOOST_TEST(run({"bind", shop.name, "--tenant", "acme", "--quiet"}).code == exit_good);
  const auto listed = run({"list"}).output;
  BOOST_TEST(has(listed, shop.name + "\tacme\t"));
  BOOST_TEST(has(listed, "\tquiet\n"));
  BOOST_TEST(run({"unbind", shop.name}).code == exit_good);
  BOOST_TEST(has(run({"unbind", shop.name}).errors, "is not bound"));
  BOOST_TEST(run({"list"}).output.empty());
}

BOOST_FIXTURE_TEST_CASE(a_pooler_is_refused_at_start_and_by_check_S18, with_database_of_its_own) {
  const pgbouncer between{{url}, 3};
  const passable_directory home;
  const std::vector<std::string> through{"ARAUTO_DATABASE_URL=" + between.through(url),
                                         "ARAUTO_MAIL_TRANSPORT=file",
                                         "ARAUTO_MAIL_DIRECTORY=" + home.path.string()};
  for (const auto* command : {"serve", "check", "migrate"}) {
    const auto refused = run_arauto({command}, through);
    BOOST_TEST(refused.code == exit_trouble, command);
    BOOST_TEST(has(refused.errors, "a pooler stands before PostgreSQL"), command);
  }
}

BOOST_FIXTURE_TEST_CASE(check_tries_the_settings_and_changes_nothing, with_database_of_its_own) {
  const passable_directory home;
  auto good = environment;
  good.push_back("ARAUTO_MAIL_TRANSPORT=file");
  good.push_back("ARAUTO_MAIL_DIRECTORY=" + home.path.string());
  const auto done = run_arauto({"check"}, good);
  BOOST_TEST(done.code == exit_good);
  BOOST_TEST(has(done.output, "reachable and safe"));
  const auto no_server =
      run_arauto({"check"}, {"ARAUTO_DATABASE_URL=postgresql://u:sesame@127.0.0.1:1/x"});
  BOOST_TEST(no_server.code == exit_trouble);
  BOOST_TEST(has(no_server.errors, "database"));
  BOOST_TEST(!has(no_server.errors, "sesame"));
  auto no_provider = environment;
  no_provider.push_back("ARAUTO_SMTP_HOST=127.0.0.1");
  no_provider.push_back("ARAUTO_SMTP_PORT=1");
  const auto refused = run_arauto({"check"}, no_provider);
  BOOST_TEST(refused.code == exit_trouble);
  BOOST_TEST(has(refused.errors, "smtp.host: 127.0.0.1:1"));
}

// A service under TLS, on a database of its own.
struct tls_service : with_database_of_its_own {
  const passable_directory home;
  const certificate files = make_certificate(home.path.string(), "DNS:localhost", 3'600);

  tls_service() {
    environment.push_back("ARAUTO_MAIL_TRANSPORT=file");
    environment.push_back("ARAUTO_MAIL_DIRECTORY=" + home.path.string());
    environment.push_back("ARAUTO_LISTEN=127.0.0.1:0");
  }
  std::vector<std::string> with_tls() const {
    auto all = environment;
    all.push_back("ARAUTO_TLS_CERTIFICATE=" + files.certificate_file);
    all.push_back("ARAUTO_TLS_KEY=" + files.key_file);
    return all;
  }
  bool says(const child_process& child, const std::string& event) const {
    for (int i = 0; i < 200; ++i) {
      if (has(child.errors(), event)) return true;
      std::this_thread::sleep_for(50ms);
    }
    return false;
  }
};

BOOST_FIXTURE_TEST_CASE(check_says_when_certificate_and_key_do_not_fit_together, tls_service) {
  BOOST_TEST(has(run_arauto({"check"}, with_tls()).output, "certificate and key fit together"));
  BOOST_TEST(has(run_arauto({"check"}, environment).output, "served in clear"));
  const passable_directory elsewhere;
  const auto others = make_certificate(elsewhere.path.string(), "DNS:localhost", 3'600);
  std::filesystem::copy(others.key_file, files.key_file,
                        std::filesystem::copy_options::overwrite_existing);
  for (const auto* command : {"check", "serve"}) {
    const auto refused = run_arauto({command}, with_tls());
    BOOST_TEST(refused.code == exit_trouble);
    BOOST_TEST(has(refused.errors, "is not the key of"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_hang_up_reads_the_certificate_again_or_ends_where_there_is_none,
                        tls_service) {
  child_process child{{arauto_program().string(), "serve"}, {with_tls(), {}}};
  BOOST_REQUIRE(child.line("ready https://127.0.0.1:", 60s));
  child.signal(SIGHUP);
  BOOST_TEST(says(child, "certificate_reloaded"));
  std::ofstream{files.key_file} << "nonsense";
  child.signal(SIGHUP);
  BOOST_TEST(says(child, "certificate_kept"));
  child.signal(SIGTERM);
  BOOST_TEST(child.wait(15s).value_or(-1) == exit_good);

  child_process plain{{arauto_program().string(), "serve"}, {environment, {}}};
  BOOST_REQUIRE(plain.line("ready http://127.0.0.1:", 60s));
  plain.signal(SIGHUP);
  BOOST_TEST(plain.wait(15s).value_or(-1) == exit_good);
}

BOOST_AUTO_TEST_SUITE_END()
