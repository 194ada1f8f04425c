// Accounts at providers and the seals on their secrets: what a thief of the database has, how a key
// is replaced, and how nodes hear of changes.
#include <boost/test/unit_test.hpp>

#include <future>

#include "storage/accounts.hpp"
#include "storage/model/base64.hpp"
#include "tests/support/ledger.hpp"

namespace arauto::tests {

namespace {

using storage::seal_ring;

const outlet mail{provider::smtp, ""};
const outlet shop{provider::web_push, "shop/1"};
constexpr auto secret = R"({"password":"sesame"})";

seal_ring ring_of(const std::string& lines) {
  auto ring = seal_ring::read(lines);
  BOOST_REQUIRE(ring);
  return *ring;
}

struct safe : ledger {
  storage::account_place put(const outlet& of, const tenant_id& tenant = acme) {
    const auto made = storage::put_account(db, ring, tenant, of, R"({"host":"x"})", secret, a_test);
    BOOST_REQUIRE(made);
    return *made;
  }
  std::vector<std::string> changes(std::int64_t after) {
    const auto all = storage::accounts_since(db, after, 100);
    BOOST_REQUIRE(all);
    std::vector<std::string> told;
    for (const auto& one : *all)
      told.push_back(one.tenant.text + " " + to_string(one.of) + (one.removed ? " removed" : ""));
    return told;
  }
  const std::string first = seal_ring::new_line("first"), second = seal_ring::new_line("second");
  seal_ring ring = ring_of(first);
};

std::string flipped(std::string sealed, std::size_t from_end) {
  auto& letter = sealed.at(sealed.size() - from_end);
  letter = letter == 'A' ? 'B' : 'A';
  return sealed;
}

} // namespace

BOOST_AUTO_TEST_SUITE(accounts_and_seals)

BOOST_AUTO_TEST_CASE(a_seal_opens_in_its_own_place_with_its_own_key_and_as_it_was_only) {
  const auto line = seal_ring::new_line("k");
  const auto ring = ring_of("# a comment\n\n" + line);
  const auto sealed = *ring.seal("plain", "acme/smtp/");
  BOOST_TEST(*ring.open(sealed, "acme/smtp/") == "plain");
  BOOST_TEST(*ring.open(*ring.seal("", "x"), "x") == "");
  BOOST_TEST(sealed.find("plain") == std::string::npos);
  BOOST_TEST(sealed != *ring.seal("plain", "acme/smtp/")); // never one nonce twice
  BOOST_TEST((ring.open(sealed, "globex/smtp/").error() == errc::bad_input));
  BOOST_TEST((ring.open("", "acme/smtp/").error() == errc::bad_input));
  BOOST_TEST((ring.open("k:", "acme/smtp/").error() == errc::bad_input));
  for (const std::size_t from_end : {5u, 20u, 30u, 40u})
    BOOST_TEST((ring.open(flipped(sealed, from_end), "acme/smtp/").error() == errc::bad_input),
               from_end);
  const auto other = ring_of(seal_ring::new_line("k")); // the same name, another key
  BOOST_TEST((other.open(sealed, "acme/smtp/").error() == errc::bad_input));
  BOOST_TEST((seal_ring{}.seal("plain", "x").error() == errc::bad_input));
}

BOOST_AUTO_TEST_CASE(a_key_file_that_cannot_be_used_says_which_line_and_quotes_none) {
  const auto good = seal_ring::new_line("a");
  for (const auto& [text, line] : {std::pair{good + "sesame", "line 2"},
                                   {good + good, "line 2"},
                                   {"b:c2VzYW1l", "line 1"},
                                   {"b c:" + base64(std::string(32, 'x')), "line 1"}}) {
    const auto read = seal_ring::read(text);
    BOOST_TEST((read.error() == errc::bad_input));
    BOOST_TEST(read.why().text.find(line) == 0u, read.why().text);
    BOOST_TEST(read.why().text.find("sesame") == std::string::npos);
  }
  BOOST_TEST(seal_ring::new_line("b c").empty());
}

BOOST_FIXTURE_TEST_CASE(a_row_shows_no_secret_and_opens_nowhere_else, safe) {
  const auto made = put(mail);
  put(shop);
  add_tenant({"globex"});
  const auto foreign = put(mail, {"globex"});
  BOOST_TEST(value("select string_agg(a::text, ' ') from arauto.account a").find("sesame")
             == std::string::npos);
  BOOST_TEST(storage::find_account(db, ring, made.id)->secret == secret);
  sql("update arauto.account a set sealed = o.sealed from arauto.account o where o.tenant_id = "
      "'globex' and a.tenant_id = 'acme'");
  BOOST_TEST((storage::find_account(db, ring, made.id).error() == errc::bad_input));
  BOOST_TEST(storage::find_account(db, ring, foreign.id)->secret == secret);
  BOOST_TEST((storage::find_account(db, seal_ring{}, foreign.id).error() == errc::bad_input));
  BOOST_TEST((storage::put_account(db, seal_ring{}, acme, mail, "{}", "{}", a_test).error()
              == errc::bad_input));
  BOOST_TEST((storage::put_account(db, ring, {"nobody"}, mail, "{}", "{}", a_test).error()
              == errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(a_new_key_seals_everything_anew_and_the_old_one_may_go, safe) {
  const auto one = put(mail), other = put(shop);
  ring = ring_of(second + first);
  BOOST_TEST(storage::find_account(db, ring, one.id)->secret == secret);
  BOOST_TEST(*storage::reseal_accounts(db, ring, 1, a_test) == 1);
  BOOST_TEST(*storage::reseal_accounts(db, ring, 100, a_test) == 1);
  BOOST_TEST(*storage::reseal_accounts(db, ring, 100, a_test) == 0);
  const auto without_the_old = ring_of(second);
  for (const auto& id : {one.id, other.id})
    BOOST_TEST(storage::find_account(db, without_the_old, id)->secret == secret);
  BOOST_TEST((storage::find_account(db, ring_of(first), one.id).error() == errc::bad_input));
  BOOST_TEST(
      (storage::reseal_accounts(db, ring_of(first), 100, a_test).error() == errc::bad_input));
}

BOOST_FIXTURE_TEST_CASE(nodes_hear_of_each_change_in_its_order_and_of_a_removal, safe) {
  const auto one = put(mail);
  const auto other = put(shop);
  BOOST_TEST((changes(0) == std::vector<std::string>{"acme smtp/", "acme web_push/shop/1"}));
  const auto again = put(mail);
  BOOST_TEST(again.id == one.id);
  BOOST_TEST((changes(other.version) == std::vector<std::string>{"acme smtp/"}));
  BOOST_REQUIRE(storage::remove_account(db, acme, mail, a_test));
  BOOST_TEST((changes(again.version) == std::vector<std::string>{"acme smtp/ removed"}));
  BOOST_TEST((storage::remove_account(db, acme, mail, a_test).error() == errc::not_found));
  BOOST_TEST((storage::find_account(db, ring, one.id).error() == errc::not_found));
  BOOST_TEST(value("select count(*) from arauto.account where sealed is not null") == "1");
  BOOST_TEST(value("select string_agg(action, ' ' order by id) from arauto.audit "
                   "where action like 'account.%'")
             == "account.put account.put account.put account.remove");
}

// Who has read up to a version has missed none below it: changes commit in the order of versions.
BOOST_FIXTURE_TEST_CASE(a_reader_never_misses_a_change_that_was_under_way, safe) {
  std::vector<std::future<bool>> writers;
  for (int n = 0; n < 4; ++n)
    writers.push_back(std::async(std::launch::async, [this, n] {
      storage::session mine{settings()};
      for (int i = 0; i < 25; ++i)
        if (!storage::put_account(mine, ring, acme, {provider::fcm, std::to_string(n * 25 + i)},
                                  "{}", secret, a_test))
          return false;
      return true;
    }));
  std::int64_t seen_to = 0;
  std::size_t seen = 0;
  for (bool writing = true; writing;) {
    writing = false;
    for (auto& one : writers)
      writing = writing || one.wait_for(std::chrono::seconds{0}) != std::future_status::ready;
    const auto some = storage::accounts_since(db, seen_to, 1'000);
    BOOST_REQUIRE(some);
    seen += some->size();
    if (!some->empty()) seen_to = some->back().version;
  }
  for (auto& one : writers)
    BOOST_TEST(one.get());
  BOOST_TEST(seen == 100u);
}

BOOST_FIXTURE_TEST_CASE(a_pause_is_told_until_it_flows_and_an_older_versions_courier_says_nothing,
                        safe) {
  const auto before = put(mail);
  BOOST_REQUIRE(storage::note_account(db, before, "credential_refused", 535));
  auto told = *storage::list_accounts(db, acme);
  BOOST_TEST(told.at(0).pause_cause == "credential_refused");
  BOOST_TEST(told.at(0).pause_code == 535);
  BOOST_TEST(!told.at(0).paused_at.empty());
  const auto since = told.at(0).paused_at;
  BOOST_REQUIRE(storage::note_account(db, before, "credential_refused", 535));
  BOOST_TEST(storage::list_accounts(db, acme)->at(0).paused_at == since);
  const auto now = put(mail); // mended: nobody has tried yet
  BOOST_REQUIRE(storage::note_account(db, before, "credential_refused", 535));
  BOOST_TEST(storage::list_accounts(db, acme)->at(0).pause_cause.empty());
  BOOST_REQUIRE(storage::note_account(db, now, "credential_refused", 535));
  BOOST_REQUIRE(storage::note_account(db, now, "", 0));
  BOOST_TEST(storage::list_accounts(db, acme)->at(0).paused_at.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
