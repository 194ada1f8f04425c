// Dead letters: listed with their cause, tried again when a person asks and never otherwise. P2,
// P3, P5, P6; field case S16.
#include <boost/test/unit_test.hpp>

#include <future>
#include <set>

#include "storage/sql/statements.hpp"
#include "tests/support/dead_office.hpp"

namespace arauto::tests {

namespace {

using std::chrono::milliseconds;
using storage::replay_verdict;

bool is(const storage::replay_answer& answer, replay_verdict wanted) {
  return answer.verdict == wanted;
}

} // namespace

BOOST_AUTO_TEST_SUITE(dead_letters)

BOOST_FIXTURE_TEST_CASE(a_dead_letter_is_listed_with_its_cause_and_nobody_elses, dead_office) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  storage::settlement refused;
  refused.key = held.key;
  refused.held = held.held;
  refused.tenant = held.tenant;
  refused.decided = {state::permanent_failure, {}, false, "bad_address"};
  refused.what.said = verdict::bad_address;
  refused.what.detail = "550 no such mailbox";
  BOOST_REQUIRE(storage::settle(db, {refused}));
  const auto page = storage::dead_letters(db, acme, {}, {}, 10);
  BOOST_REQUIRE(page);
  BOOST_REQUIRE_EQUAL(page->letters.size(), 1);
  const auto& one = page->letters.at(0);
  BOOST_TEST(one.key.event.text == id.text);
  BOOST_TEST(one.type == "order.shipped");
  BOOST_TEST(one.user.text == "ana");
  BOOST_TEST(one.cause == "bad_address");
  BOOST_TEST(one.detail == "550 no such mailbox");
  BOOST_TEST(one.attempts == 1);
  BOOST_TEST(!one.doubtful);
  BOOST_TEST(storage::dead_letters(db, {"zeta"}, {}, {}, 10)->letters.empty());
  BOOST_TEST(value("select cause from arauto.dead_letters where tenant_id = 'acme'")
             == "bad_address");
}

BOOST_FIXTURE_TEST_CASE(pages_are_newest_first_and_meet_each_dead_letter_once, dead_office) {
  for (int n = 0; n < 7; ++n)
    died("o-" + std::to_string(n));
  // Equal times must not lose a row between two pages.
  sql("update arauto.delivery set settled_at = '2026-01-01T00:00:00Z' where event_id in "
      "(select id from arauto.event where client_key in ('o-2', 'o-3', 'o-4'))");
  std::optional<storage::dead_letter_place> after;
  std::vector<std::string> met;
  std::string newest = "9";
  do {
    const auto page = storage::dead_letters(db, acme, {}, after, 2);
    BOOST_REQUIRE(page);
    BOOST_TEST(!page->letters.empty());
    for (const auto& one : page->letters) {
      met.push_back(one.operation.text);
      BOOST_TEST((one.settled_at <= newest));
      newest = one.settled_at;
    }
    after = page->next;
  } while (after);
  BOOST_TEST(met.size() == 7u);
  BOOST_TEST(std::set<std::string>(met.begin(), met.end()).size() == 7u);
  BOOST_TEST(met.front() == "o-6");
}

BOOST_FIXTURE_TEST_CASE(the_list_can_be_narrowed, dead_office) {
  died("o-1", "refused");
  died("o-2", "attempts_exhausted");
  sql("update arauto.delivery set settled_at = settled_at - interval '1 day' where cause = "
      "'refused'");
  storage::dead_letter_filter which;
  which.cause = "refused";
  BOOST_TEST(listed(which) == operations{"o-1"}, boost::test_tools::per_element());
  which = {};
  which.since = value("select arauto.rfc3339(now() - interval '1 hour')");
  BOOST_TEST(listed(which) == operations{"o-2"}, boost::test_tools::per_element());
  which = {};
  which.type = "news";
  BOOST_TEST(listed(which).empty());
  which = {};
  which.via = channel::push;
  BOOST_TEST(listed(which).empty());
  which.via = channel::email;
  BOOST_TEST(listed(which).size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_replay_begins_a_new_budget_and_keeps_identity_and_history, dead_office) {
  const auto id = died("o-1");
  sql("update arauto.delivery set lost_leases = 4");
  const auto made = replay(id);
  BOOST_TEST(is(made, replay_verdict::replayed));
  BOOST_TEST(to_string(made.now) == "pending");
  BOOST_TEST(value("select cause from arauto.delivery") == "refused"); // until the next outcome
  const auto held = claim_one();
  BOOST_TEST(held.key.event.text == id.text);
  BOOST_TEST(held.held.number == 2);
  BOOST_TEST(held.lost_leases == 0);
  BOOST_TEST(permit_one(held).facts.attempts == 1);
  settle_accepted(held);
  BOOST_TEST(value("select attempts || ' ' || replays from arauto.delivery") == "2 1");
  BOOST_TEST(value("select string_agg(number || ' ' || outcome, ', ' order by lease_token) "
                   "from arauto.attempt")
             == "1 refused, 2 accepted");
  BOOST_TEST(listed().empty());
}

BOOST_FIXTURE_TEST_CASE(a_replay_passes_every_check_of_a_send_again_P5, dead_office) {
  const auto unwanted = died("o-1");
  replay(unwanted);
  sql("insert into arauto.preference values ('acme', 'ana', 'email', '', false)");
  BOOST_TEST(to_string(permit_one(claim_one()).now) == "suppressed");
  sql("delete from arauto.preference");

  const auto expired = died("o-2");
  sql("update arauto.event set expires_at = now() where client_key = 'o-2'");
  replay(expired);
  BOOST_TEST(to_string(permit_one(claim_one()).now) == "expired");

  const auto shunned = died("o-3");
  sql("insert into arauto.suppression (tenant_id, channel, digest, reason) "
      "select 'acme', 'email', email_digest, 'bad_address' from arauto.recipient");
  replay(shunned);
  BOOST_TEST(to_string(permit_one(claim_one()).now) == "suppressed");
}

BOOST_FIXTURE_TEST_CASE(a_late_acceptance_settles_a_replay_without_a_second_send, dead_office) {
  const auto id = died("o-1");
  sql("update arauto.delivery set accepted_at = now()"); // a late answer's evidence
  replay(id);
  BOOST_TEST(to_string(permit_one(claim_one()).now) == "provider_accepted");
  BOOST_TEST(value("select attempts from arauto.delivery") == "1");
}

BOOST_FIXTURE_TEST_CASE(what_was_cancelled_is_never_replayed_S16, dead_office) {
  const auto id = died("o-1");
  BOOST_REQUIRE(storage::cancel_event(db, acme, id));
  BOOST_TEST(is(replay(id, true), replay_verdict::stopped));
  const auto in_doubt = doubted("o-2");
  BOOST_REQUIRE(storage::cancel_event(db, acme, in_doubt));
  BOOST_TEST(is(replay(in_doubt, true), replay_verdict::stopped));
  BOOST_TEST(claim().empty());
  BOOST_TEST(replay_all({{}, 10, 10, true, {}, 10}).stopped == 1);
}

BOOST_FIXTURE_TEST_CASE(what_was_erased_has_no_words_to_send, dead_office) {
  const auto id = died("o-1");
  BOOST_REQUIRE(storage::erase_recipient(db, acme, ana));
  BOOST_TEST(is(replay(id, true), replay_verdict::erased));
  add_user(acme, ana, "ana@example.com"); // written again: a new person
  BOOST_TEST(is(replay(id, true), replay_verdict::erased));
  BOOST_TEST(replay_all().erased == 1);
  BOOST_TEST(to_string(state_of(id)) == "permanent_failure");
}

BOOST_FIXTURE_TEST_CASE(what_the_provider_may_have_is_sent_again_only_when_asked_for_P6,
                        dead_office) {
  const auto dead = died_in_doubt("o-1");
  BOOST_TEST(is(replay(dead), replay_verdict::doubtful));
  BOOST_TEST(replay_all().doubtful == 1);
  BOOST_TEST(is(replay(dead, true), replay_verdict::replayed));
  BOOST_TEST(to_string(state_of(dead)) == "pending");
  settle_accepted(claim_one());

  const auto in_doubt = doubted("o-2");
  BOOST_TEST(is(replay(in_doubt), replay_verdict::doubtful));
  BOOST_TEST(claim().empty());
  const auto again = replay(in_doubt, true);
  BOOST_TEST(is(again, replay_verdict::replayed));
  BOOST_TEST(to_string(again.now) == "in_doubt"); // until it is known, it stays what it is
  BOOST_TEST(is(replay(in_doubt, true), replay_verdict::already));
  const auto held = claim_one();
  BOOST_TEST(held.key.event.text == in_doubt.text);
  BOOST_TEST(permit_one(held).facts.attempts == 1);
}

BOOST_FIXTURE_TEST_CASE(only_dead_letters_are_replayed_and_only_by_their_tenant, dead_office) {
  const auto waiting = accepted_event("o-1");
  BOOST_TEST(is(replay(waiting), replay_verdict::not_dead));
  settle_accepted(claim_one());
  BOOST_TEST(to_string(replay(waiting).now) == "provider_accepted");
  BOOST_TEST(is(replay(waiting), replay_verdict::not_dead));
  const auto dead = died("o-2");
  const auto refused = [&](const tenant_id& tenant, const event_id& id, channel via) {
    return storage::replay(db, tenant, {id, via}, true).error() == errc::not_found;
  };
  BOOST_TEST(refused({"zeta"}, dead, channel::email));
  BOOST_TEST(refused(acme, dead, channel::push));
  BOOST_TEST(refused(acme, new_event_id(), channel::email));
  BOOST_TEST(to_string(state_of(dead)) == "permanent_failure");
}

BOOST_FIXTURE_TEST_CASE(of_parallel_replays_one_does_it_and_the_others_see_it_P2, dead_office) {
  const auto id = died("o-1");
  std::vector<std::future<storage::replay_answer>> askers;
  for (int n = 0; n < 8; ++n)
    askers.push_back(std::async(std::launch::async, [&] {
      storage::session own{settings()};
      return *storage::replay(own, acme, {id, channel::email}, false);
    }));
  int replayed = 0;
  for (auto& asker : askers) {
    const auto answer = asker.get();
    replayed += is(answer, replay_verdict::replayed) ? 1 : 0;
    BOOST_TEST((is(answer, replay_verdict::replayed) || is(answer, replay_verdict::already)));
    BOOST_TEST(to_string(answer.now) == "pending");
  }
  BOOST_TEST(replayed == 1);
  BOOST_TEST(value("select replays from arauto.delivery") == "1");
  claim_one();
  BOOST_TEST(to_string(replay(id).now) == "leased"); // as far as it came since
}

// -- races, with transactions held open at the named point ---------------------------------------

BOOST_FIXTURE_TEST_CASE(a_replay_that_waits_on_a_cancel_finds_it_stopped_S16, dead_office) {
  const auto id = died("o-1");
  pqxx::connection other{url};
  pqxx::work cancelling{other};
  cancelling.exec_params(storage::sql::stop_event.text, "acme", id.text, "cancelled");
  auto replaying = std::async(std::launch::async, [&] { // no word of Boost.Test in a thread
    return storage::replay(db, acme, {id, channel::email}, false);
  });
  until_waiting(1);
  cancelling.commit();
  const auto answer = replaying.get();
  BOOST_REQUIRE(answer);
  BOOST_TEST(is(*answer, replay_verdict::stopped));
  BOOST_TEST(to_string(state_of(id)) == "permanent_failure");
}

BOOST_FIXTURE_TEST_CASE(an_erasure_waits_for_a_replay_and_stops_what_it_made_live, dead_office) {
  const auto id = died("o-1");
  pqxx::connection other{url};
  pqxx::work replaying{other};
  replaying.exec_params(storage::sql::replay.text, "acme", id.text, "email", false);
  auto erasing =
      std::async(std::launch::async, [&] { return storage::erase_recipient(db, acme, ana); });
  until_waiting(1);
  replaying.commit();
  const auto stops = erasing.get();
  BOOST_REQUIRE(stops);
  BOOST_REQUIRE_EQUAL(stops->size(), 1);
  BOOST_TEST(stops->at(0).came_to == "stopped");
  BOOST_TEST(to_string(state_of(id)) == "cancelled");
  BOOST_TEST(claim().empty());
}

BOOST_FIXTURE_TEST_CASE(a_replay_with_an_old_snapshot_sees_who_was_erased_since, dead_office) {
  add_user(acme, {"aaa"}, "aaa@example.com");
  auto asked = order_shipped("o-0");
  asked.user = {"aaa"};
  BOOST_REQUIRE((accept_one(asked).verdict == acceptance::created));
  die();
  const auto id = died("o-1");
  // The batch stands before the first person, its snapshot taken, while the second one is erased.
  pqxx::connection other{url};
  pqxx::work holding{other};
  holding.exec("select from arauto.recipient where user_id = 'aaa' for update");
  auto replaying = std::async(std::launch::async, [&] {
    storage::session own{settings()};
    return storage::replay_dead_letters(own, acme, {});
  });
  until_waiting(1);
  BOOST_REQUIRE(storage::erase_recipient(db, acme, ana));
  holding.commit();
  const auto made = replaying.get();
  BOOST_REQUIRE(made);
  BOOST_TEST(made->replayed == 1);
  BOOST_TEST(made->erased == 1);
  BOOST_TEST(to_string(state_of(id)) == "permanent_failure");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
