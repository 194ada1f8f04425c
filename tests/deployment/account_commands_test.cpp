// account, secrets and check: a tenant's own accounts at providers from the command line.
#include <boost/test/unit_test.hpp>

#include <fstream>

#include <nlohmann/json.hpp>
#include <pqxx/pqxx>

#include "deployment/trouble.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/own_database.hpp"

using namespace arauto::tests;
using namespace arauto::deployment;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct house_with_keys : own_database {
  house_with_keys() {
    add_key("first");
    BOOST_REQUIRE(run({"tenant", "create", "acme"}).code == exit_good);
    vapid = run({"vapid", "--subject", "mailto:ops@acme.example"}).output;
    private_key = nlohmann::json::parse(vapid).at("private_key");
  }
  finished run(std::vector<std::string> words, const std::string& input = {}) const {
    std::vector<std::string> piped{"/bin/sh", "-c", R"(printf %s "$0" | "$@")", input,
                                   arauto_program().string()};
    piped.insert(piped.end(), words.begin(), words.end());
    auto done = run_to_end(
        std::move(piped),
        {{"ARAUTO_DATABASE_URL=" + url, "ARAUTO_SECRETS_KEY_FILE=" + keys().string()}, {}});
    BOOST_TEST_MESSAGE(done.code << " " << done.output << done.errors);
    return done;
  }
  std::filesystem::path keys() const { return home.path / "seals"; }
  void write_keys(const std::string& text) const { std::ofstream{keys()} << text; }
  std::string key_text() const {
    std::ifstream in{keys()};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  // In front: it seals from now on.
  void add_key(const std::string& name) const {
    write_keys(run({"secrets", "new", name}).output + key_text());
  }
  std::string rows() const {
    pqxx::connection db{url};
    pqxx::work work{db};
    return work.exec("select coalesce(string_agg(a::text, E'\\n'), '') from arauto.account a")[0][0]
        .c_str();
  }

  passable_directory home;
  std::string vapid, private_key;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(account_commands_suite, house_with_keys)

BOOST_AUTO_TEST_CASE(an_account_is_set_listed_checked_and_removed_and_its_secret_never_told) {
  const auto set = run({"account", "set", "acme", "web_push", "--app", "news"}, vapid);
  BOOST_TEST(set.code == exit_good);
  BOOST_TEST(has(set.output, "acme/web_push/news"));
  const auto listed = run({"account", "list", "acme"});
  BOOST_TEST(has(listed.output, "web_push/news"));
  BOOST_TEST(has(listed.output, "sealed under first"));
  const auto checked = run({"check"});
  BOOST_TEST(has(checked.output, "acme/web_push/news: the key is usable"));
  for (const auto& text : {set.output, listed.output, checked.output, rows()})
    BOOST_TEST(!has(text, private_key));
  BOOST_TEST(run({"account", "remove", "acme", "web_push"}).code == exit_trouble); // another app
  BOOST_TEST(run({"account", "remove", "acme", "web_push", "--app", "news"}).code == exit_good);
  BOOST_TEST(run({"account", "list", "acme"}).output.empty());
}

BOOST_AUTO_TEST_CASE(an_account_that_cannot_be_used_is_refused_with_its_members_and_not_quoted) {
  const auto refused =
      run({"account", "set", "acme", "apns"}, R"({"key":"sesame","key_id":"1","colour":"red"})");
  BOOST_TEST(refused.code == exit_trouble);
  for (const auto* member : {"/key", "/key_id", "/team_id", "/colour"})
    BOOST_TEST(has(refused.errors, member), member);
  BOOST_TEST(!has(refused.errors, "sesame"));
  BOOST_TEST(run({"account", "set", "acme", "pigeon"}, vapid).code == exit_trouble);
  BOOST_TEST(run({"account", "set", "acme", "smtp", "--app", "x"}, vapid).code == exit_trouble);
  BOOST_TEST(run({"account", "set", "nobody", "web_push"}, vapid).code == exit_trouble);
  BOOST_TEST(run({"secrets", "new", "no:name"}).code == exit_trouble);
  BOOST_TEST(rows().empty());
}

BOOST_AUTO_TEST_CASE(a_key_is_replaced_without_a_moment_in_which_an_account_cannot_be_opened) {
  BOOST_TEST(run({"account", "set", "acme", "web_push"}, vapid).code == exit_good);
  const auto old_line = key_text();
  add_key("second");
  BOOST_TEST(run({"check"}).code == exit_good);
  const auto done = run({"account", "reseal"});
  BOOST_TEST(done.output == "1 sealed anew under second\n");
  BOOST_TEST(run({"account", "reseal"}).output == "0 sealed anew under second\n");
  const auto both = key_text();
  write_keys(both.substr(0, both.size() - old_line.size())); // the old line goes
  BOOST_TEST(run({"check"}).code == exit_good);
  write_keys(old_line);
  const auto lost = run({"check"});
  BOOST_TEST(lost.code == exit_trouble);
  BOOST_TEST(has(lost.output, "acme/web_push: NOT GOOD"));
}

BOOST_AUTO_TEST_SUITE_END()
