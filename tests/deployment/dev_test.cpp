// `arauto dev` as a person uses it, from an empty directory to a mail on its way.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <fstream>

#include <nlohmann/json.hpp>
#include <pqxx/pqxx>

#include "deployment/dev.hpp"
#include "http/client.hpp"
#include "tests/support/child_process.hpp"

using namespace arauto::tests;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using arauto::deployment::dev_facts;
using arauto::deployment::read_dev_facts;

namespace {

struct dev_home {
  passable_directory home;
  fs::path data = home.path / "data";

  std::vector<std::string> command() const {
    return {arauto_program().string(), "dev", "--data", data.string(), "--listen", "127.0.0.1:0"};
  }
  // Fails the test when it does not come up.
  std::unique_ptr<child_process> started(std::vector<std::string> more = {}) const {
    auto words = command();
    words.insert(words.end(), more.begin(), more.end());
    auto child = std::make_unique<child_process>(std::move(words));
    const auto ready = child->line("ready http://127.0.0.1:", 60s);
    BOOST_REQUIRE_MESSAGE(ready, child->errors());
    return child;
  }
  dev_facts facts() const {
    const auto read = read_dev_facts(data);
    BOOST_REQUIRE(read);
    return *read;
  }
  nlohmann::json asked(std::vector<std::string> words) const {
    words.insert(words.begin(), arauto_program().string());
    words.insert(words.end(), {"--data", data.string()});
    const auto done = run_to_end(std::move(words));
    BOOST_REQUIRE_MESSAGE(done.code == 0, done.errors);
    return nlohmann::json::parse(done.output);
  }
};

int end(child_process& child) {
  child.signal(SIGTERM);
  return child.wait(15s).value_or(-1);
}

std::string text_of(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(dev_suite, dev_home)

BOOST_AUTO_TEST_CASE(a_first_start_serves_a_sample_tenant_and_its_mail_becomes_a_file) {
  const auto child = started();
  const auto told = facts();
  BOOST_TEST(child->output() == "ready " + told.url + "\n");
  BOOST_TEST(told.tenant == "sample");
  const auto mode = fs::status(data / "dev.json").permissions();
  BOOST_TEST((mode == (fs::perms::owner_read | fs::perms::owner_write)));

  const auto status = asked({"send", "ana", "order.shipped", "--variables",
                             R"({"name":"Ana","order":"A-7"})", "--wait", "30"});
  BOOST_TEST(status.at("status") == "completed");
  BOOST_TEST(status.at("deliveries").at(0).at("state") == "provider_accepted");
  BOOST_TEST(asked({"status", status.at("id")}).at("id") == status.at("id"));
  const auto mail = fs::path{told.mail_dir} / (status.at("id").get<std::string>() + ".email.eml");
  BOOST_TEST(text_of(mail).find("A-7") != std::string::npos);
  BOOST_TEST(end(*child) == 0);
}

BOOST_AUTO_TEST_CASE(what_failed_for_good_is_listed_and_tried_again_by_a_command) {
  const auto child = started();
  const auto give_address = [told = facts()](const std::string& email) {
    pqxx::connection db{told.database_url};
    pqxx::work work{db};
    work.exec_params("update arauto.recipient set email = nullif($1, ''), email_digest = "
                     "case when $1 <> '' then sha256(convert_to($1, 'UTF8')) end",
                     email);
    work.commit();
  };
  give_address("");
  const auto sent = asked({"send", "ana", "order.shipped", "--variables",
                           R"({"name":"A","order":"1"})", "--wait", "30"});
  BOOST_TEST(sent.at("status") == "failed");
  const auto id = sent.at("id").get<std::string>();
  const auto dead = asked(
      {"dead", "--cause", "no_address", "--since", "2026-01-01T00:00:00+00:00", "--limit", "5"});
  BOOST_TEST(dead.at("data").at(0).at("id") == id);
  give_address("ana@example.com");
  BOOST_TEST(asked({"replay", id, "email"}).at("replayed") == true);
  BOOST_TEST(asked({"replay", "--all", "--per-second", "100"}).at("replayed") == 0);
  for (const auto& wrong : {std::vector<std::string>{"replay"},
                            {"replay", id},
                            {"replay", id, "email", "--all"},
                            {"replay", "../users", "email"}}) {
    auto words = wrong;
    words.insert(words.begin(), arauto_program().string());
    words.insert(words.end(), {"--data", data.string()});
    BOOST_TEST(run_to_end(words).code == 1);
  }
  BOOST_TEST(end(*child) == 0);
}

BOOST_AUTO_TEST_CASE(a_later_start_keeps_keys_and_what_was_accepted) {
  auto child = started();
  const auto before = facts();
  const auto sent =
      asked({"send", "ana", "order.shipped", "--variables", R"({"name":"A","order":"1"})"});
  BOOST_TEST(end(*child) == 0);
  BOOST_TEST(!fs::exists(data / "postgres/data/postmaster.pid")); // stopped with us
  child = started();
  const auto after = facts();
  BOOST_TEST(after.api_key == before.api_key);
  BOOST_TEST(after.operator_key == before.operator_key);
  BOOST_TEST(asked({"status", sent.at("id")}).at("id") == sent.at("id"));
  BOOST_TEST(end(*child) == 0);
}

BOOST_AUTO_TEST_CASE(a_killed_one_is_followed_by_one_that_knows_everything) {
  auto child = started();
  const auto sent =
      asked({"send", "ana", "order.shipped", "--variables", R"({"name":"A","order":"1"})"});
  child->signal(SIGKILL);
  BOOST_TEST(child->wait(5s).value_or(-1) == 128 + SIGKILL);
  child = started();
  BOOST_TEST(asked({"status", sent.at("id")}).at("id") == sent.at("id"));
  BOOST_TEST(end(*child) == 0);
}

BOOST_AUTO_TEST_CASE(a_second_one_in_the_same_directory_is_refused) {
  const auto child = started();
  const auto second = run_to_end(command());
  BOOST_TEST(second.code == 1);
  BOOST_TEST(second.errors.find("another arauto") != std::string::npos);
  BOOST_TEST(end(*child) == 0);
}

BOOST_AUTO_TEST_CASE(an_address_that_is_taken_is_named) {
  const auto child = started();
  const auto url = facts().url;
  auto words = command();
  words.at(3) = (home.path / "other").string();
  words.back() = url.substr(url.find("127"));
  const auto second = run_to_end(words);
  BOOST_TEST(second.code == 1);
  BOOST_TEST(second.errors.find(words.back()) != std::string::npos);
  BOOST_TEST(end(*child) == 0);
}

BOOST_AUTO_TEST_CASE(another_database_by_one_setting) {
  const empty_database database;
  run_options options;
  options.environment = {"ARAUTO_DATABASE_URL=" + database.url};
  child_process child{command(), options};
  BOOST_REQUIRE_MESSAGE(child.line("ready ", 30s), child.errors());
  BOOST_TEST(!fs::exists(data / "postgres"));
  BOOST_TEST(facts().database_url == database.url);
  BOOST_TEST(end(child) == 0);
}

BOOST_AUTO_TEST_CASE(without_a_key_or_with_a_wrong_one_nothing_is_told) {
  const auto child = started();
  const auto told = facts();
  for (const auto& key : {std::string{}, told.api_key + "x"}) {
    const auto got = arauto::http::get({told.url, key}, "/v1/users/ana");
    BOOST_REQUIRE(got);
    BOOST_TEST(got->status == 401);
  }
  BOOST_TEST(end(*child) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
