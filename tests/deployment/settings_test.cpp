#include <boost/test/unit_test.hpp>

#include <fstream>

#include "deployment/settings.hpp"
#include "deployment/trouble.hpp"
#include "tests/support/own_database.hpp"

using namespace arauto::deployment;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

struct settings_file {
  arauto::tests::passable_directory home;
  fs::path path = home.path / "arauto.toml";

  void write(const std::string& text) const {
    std::ofstream{path} << text;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  }
  sources with(std::vector<std::string> environment = {},
               std::map<std::string, std::string> flags = {}) const {
    return {fs::exists(path) ? path : fs::path{}, std::move(environment), std::move(flags)};
  }
  std::string refusal(const sources& from) const {
    try {
      read_settings(from);
    } catch (const trouble& e) {
      BOOST_TEST_MESSAGE(e.what());
      return e.what();
    }
    return "";
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(settings_suite)

BOOST_FIXTURE_TEST_CASE(flags_win_over_the_environment_and_that_over_the_file, settings_file) {
  write("listen = '127.0.0.1:1'\n[node]\nlease = '10s'\nwindow_max = 7\n[retry]\nbase = '1s'\n");
  const auto read =
      read_settings(with({"ARAUTO_NODE_LEASE=20s", "ARAUTO_LISTEN=127.0.0.1:2", "PATH=/bin"},
                         {{"listen", "127.0.0.1:3"}}));
  BOOST_TEST(read.http.port == 3);
  BOOST_TEST((read.office.lease == 20s));
  BOOST_TEST(read.office.window_max == 7u);
  BOOST_TEST((read.office.retry.base == 1s));
  BOOST_TEST(read.given.at("listen") == "--listen");
  BOOST_TEST(read.given.at("node.lease") == "ARAUTO_NODE_LEASE");
  BOOST_TEST(has(read.given.at("node.window_max"), "arauto.toml line 4"));
}

BOOST_FIXTURE_TEST_CASE(an_unknown_setting_is_named_with_its_place, settings_file) {
  write("[node]\nlease = '10s'\nleese = '10s'\n");
  const auto said = refusal(with());
  BOOST_TEST(has(said, "node.leese"));
  BOOST_TEST(has(said, path.string() + " line 3"));
  fs::remove(path);
  BOOST_TEST(has(refusal(with({"ARAUTO_SMTP_HOTS=mail"})), "ARAUTO_SMTP_HOTS"));
  BOOST_TEST(refusal(with({"ARAUTO_TEST_POSTGRES=x"})).empty());
}

BOOST_FIXTURE_TEST_CASE(a_value_of_the_wrong_kind_is_refused_with_the_kind_it_must_have,
                        settings_file) {
  BOOST_TEST(has(refusal(with({"ARAUTO_NODE_LEASE=soon"})),
                 "ARAUTO_NODE_LEASE: node.lease must be a duration"));
  for (const auto* wrong : {"", "5", "-5s", "5 s", "1d", "99999999999999999999s", "0s"})
    BOOST_TEST(has(refusal(with({std::string{"ARAUTO_NODE_LEASE="} + wrong})), "node.lease"),
               wrong);
  for (const auto* wrong : {"8080", "localhost", ":8080", "127.0.0.1:70000", "127.0.0.1:x", "[]:1"})
    BOOST_TEST(has(refusal(with({}, {{"listen", wrong}})), "--listen: listen must be"), wrong);
  BOOST_TEST(has(refusal(with({"ARAUTO_SMTP_TLS=maybe"})), "off opportunistic required implicit"));
  BOOST_TEST(has(refusal(with({"ARAUTO_NODE_WINDOW_MAX=0"})), "from 1 to"));
  BOOST_TEST(has(refusal(with({"ARAUTO_NODE_RESTART_WINDOW=1500ms"})), "node.restart_window"));
  write("[node]\nwindow_max = 1.5\n");
  BOOST_TEST(has(refusal(with()), "node.window_max must be a text, a whole number"));
  write("[node\n");
  BOOST_TEST(has(refusal(with()), path.string() + " line 1"));
}

BOOST_FIXTURE_TEST_CASE(contradictions_name_both_sides_and_where_they_were_given, settings_file) {
  write("[mail]\ntransport = 'file'\n");
  const auto said = refusal(with({"ARAUTO_SMTP_HOST=mail.example"}));
  BOOST_TEST(has(said, "mail.transport"));
  BOOST_TEST(has(said, "arauto.toml line 2"));
  BOOST_TEST(has(said, "smtp.host (ARAUTO_SMTP_HOST)"));
  fs::remove(path);
  BOOST_TEST(has(refusal(with({"ARAUTO_NODE_LEASE_MARGIN=40s"})),
                 "node.lease_margin (ARAUTO_NODE_LEASE_MARGIN) must be less than node.lease"));
  BOOST_TEST(refusal(with({"ARAUTO_NODE_LEASE=4s"})).empty()); // the margin follows
  BOOST_TEST(has(refusal(with({"ARAUTO_RETRY_BASE=2h"})), "retry.base"));
  BOOST_TEST(has(refusal(with({"ARAUTO_DOUBT_RULE=hold", "ARAUTO_DOUBT_RESEND_AFTER=1h"})),
                 "doubt.resend_after (ARAUTO_DOUBT_RESEND_AFTER) means nothing with doubt.rule"));
  BOOST_TEST(has(refusal(with({"ARAUTO_DOUBT_RULE=wait", "ARAUTO_DOUBT_RESENDS_MAX=2"})),
                 "doubt.resends_max"));
  BOOST_TEST(refusal(with({"ARAUTO_DOUBT_RULE=wait", "ARAUTO_DOUBT_WAIT_FOR=1h"})).empty());
  BOOST_TEST(has(refusal(with({"ARAUTO_DOUBT_RULE=resend_once"})), "one of resend wait hold"));
  BOOST_TEST(has(refusal(with({"ARAUTO_MAIL_TRANSPORT=smtp"})), "needs smtp.host"));
  BOOST_TEST(has(refusal(with({"ARAUTO_SMTP_PORT=25"})), "needs smtp.host"));
  BOOST_TEST(has(refusal(with({"ARAUTO_TLS_CERTIFICATE=a"})), "needs tls.key"));
  BOOST_TEST(has(refusal(with({"ARAUTO_TLS_KEY=a"})), "needs tls.certificate"));
  BOOST_TEST(
      has(refusal(with({"ARAUTO_DATABASE_URL=a", "ARAUTO_DATABASE_URL_FILE=b"})), "contradicts"));
}

BOOST_FIXTURE_TEST_CASE(a_password_is_never_sent_over_a_wire_that_can_be_read, settings_file) {
  const std::vector<std::string> account{"ARAUTO_SMTP_HOST=mail.example", "ARAUTO_SMTP_USER=u",
                                         "ARAUTO_SMTP_PASSWORD=p"};
  BOOST_TEST((read_settings(with(account)).mail.smtp.tls == arauto::channels::tls_mode::required));
  for (const auto* mode : {"off", "opportunistic"})
    BOOST_TEST(
        has(refusal(with(account, {{"smtp.tls", mode}})), "smtp.tls (--smtp-tls) = required"));
  BOOST_TEST(refusal(with(account, {{"smtp.tls", "implicit"}})).empty());
  BOOST_TEST(refusal(with(account, {{"smtp.host", "127.0.0.1"}})).empty());
}

BOOST_FIXTURE_TEST_CASE(secrets_come_from_files_or_the_environment_and_from_no_readable_file,
                        settings_file) {
  for (const auto& each : all_settings())
    BOOST_TEST(!(each.secret && each.name.find("file") != std::string::npos));
  const std::string account = "[smtp]\nhost = 'localhost'\nuser = 'u'\n";
  write(account + "password = 'p'\n");
  BOOST_TEST(read_settings(with()).mail.smtp.password == "p");
  fs::permissions(path, fs::perms::group_read, fs::perm_options::add);
  const auto said = refusal(with());
  BOOST_TEST(has(said, "smtp.password is a secret"));
  BOOST_TEST(!has(said, "'p'"));
  const auto secret = home.path / "secret";
  std::ofstream{secret} << "from-a-file\n";
  write(account + "password_file = '" + secret.string() + "'\n");
  BOOST_TEST(read_settings(with()).mail.smtp.password == "from-a-file");
  BOOST_TEST(has(refusal(with({"ARAUTO_SMTP_PASSWORD=x"})), "contradicts"));
  BOOST_TEST(has(refusal({{}, {}, {{"smtp.password", "x"}}}), "unknown setting smtp.password"));
  fs::remove(secret);
  BOOST_TEST(has(refusal(with()), "cannot read " + secret.string()));
}

BOOST_AUTO_TEST_CASE(every_setting_has_one_name_in_each_source) {
  std::map<std::string, int> seen;
  for (const auto& each : all_settings()) {
    BOOST_TEST(++seen[each.name] == 1, each.name);
    BOOST_TEST(++seen[environment_name(each)] == 1, each.name);
    BOOST_TEST(!each.purpose.empty(), each.name);
  }
  BOOST_TEST(seen.count("ARAUTO_SMTP_HOST") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
