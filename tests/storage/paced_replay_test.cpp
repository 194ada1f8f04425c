// Many dead letters tried again by a filter, at a pace. P2, P3.
#include <boost/test/unit_test.hpp>

#include <future>

#include "storage/sql/statements.hpp"
#include "tests/support/dead_office.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(paced_replay)

BOOST_FIXTURE_TEST_CASE(a_replay_by_filter_is_spread_evenly_oldest_first, dead_office) {
  for (int n = 0; n < 4; ++n)
    died("o-" + std::to_string(n), n == 3 ? "attempts_exhausted" : "refused");
  storage::paced_replay wanted;
  wanted.which.cause = "refused";
  wanted.rows_max = 2;
  wanted.per_second = 4;
  const auto first = replay_all(wanted);
  BOOST_TEST(first.replayed == 2);
  BOOST_TEST(first.next.has_value());
  const auto second = replay_all(wanted);
  BOOST_TEST(second.replayed == 1);
  BOOST_TEST(!second.next);
  // One pace for both calls: the second queued behind the first.
  BOOST_TEST(value("select string_agg(e.client_key || ' ' || extract(epoch from d.next_attempt_at "
                   "- (select min(next_attempt_at) from arauto.delivery where state = 'pending')), "
                   "', ' order by d.next_attempt_at) from arauto.delivery d join arauto.event e on "
                   "e.id = d.event_id where d.state = 'pending'")
             == "o-0 0.000000, o-1 0.250000, o-2 0.500000");
  BOOST_TEST(second.last_due_at
             == value("select arauto.rfc3339(max(next_attempt_at)) from arauto.delivery where "
                      "state = 'pending'"));
  BOOST_TEST(listed() == operations{"o-3"}, boost::test_tools::per_element());
  const auto none = replay_all(wanted);
  BOOST_TEST(none.replayed == 0);
  BOOST_TEST(none.last_due_at == "");
}

// A filter that hardly matches does not walk the whole tenant in one call, and loses nobody.
BOOST_FIXTURE_TEST_CASE(a_rare_filter_is_found_piece_by_piece, dead_office) {
  for (int n = 0; n < 9; ++n)
    died("o-" + std::to_string(n), n == 7 ? "attempts_exhausted" : "refused");
  storage::dead_letter_filter rare;
  rare.cause = "attempts_exhausted";
  operations pieces;
  std::optional<storage::dead_letter_place> after;
  do {
    const auto page = storage::dead_letters(db, acme, rare, after, 2, 4);
    BOOST_REQUIRE(page);
    pieces.push_back(page->letters.empty() ? "" : page->letters.at(0).operation.text);
    after = page->next;
  } while (after);
  BOOST_TEST(pieces == (operations{"o-7", "", ""}), boost::test_tools::per_element());

  storage::paced_replay wanted;
  wanted.which = rare;
  wanted.walked_max = 4;
  std::vector<int> replayed;
  do {
    const auto made = replay_all(wanted);
    replayed.push_back(made.replayed);
    wanted.after = made.next;
  } while (wanted.after);
  BOOST_TEST(replayed == (std::vector<int>{0, 1, 0}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_replay_goes_on_behind_what_it_passed_over, dead_office) {
  for (int n = 0; n < 6; ++n)
    died("o-" + std::to_string(n));
  sql("update arauto.delivery set doubts = 1, doubted_at = now() where event_id in "
      "(select id from arauto.event where client_key in ('o-0', 'o-1', 'o-3'))");
  storage::paced_replay wanted;
  wanted.rows_max = 1;
  std::vector<std::pair<int, int>> made;
  do {
    const auto one = replay_all(wanted);
    made.emplace_back(one.replayed, one.doubtful);
    wanted.after = one.next;
  } while (wanted.after);
  const std::vector<std::pair<int, int>> expected{{1, 2}, {1, 1}, {1, 0}};
  BOOST_TEST((made == expected));
}

BOOST_FIXTURE_TEST_CASE(a_replay_by_filter_keeps_to_its_times_and_type, dead_office) {
  died("o-1");
  const auto between = value("select arauto.rfc3339(clock_timestamp())");
  died("o-2");
  storage::paced_replay wanted;
  wanted.which.type = "news";
  BOOST_TEST(replay_all(wanted).replayed == 0);
  wanted.which.type = "order.shipped";
  wanted.which.until = between;
  BOOST_TEST(replay_all(wanted).replayed == 1);
  BOOST_TEST(listed() == operations{"o-2"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(two_replays_by_filter_at_once_take_each_row_once_P3, dead_office) {
  constexpr int dead = 200;
  for (int n = 0; n < dead; ++n)
    accepted_event("o-" + std::to_string(n));
  sql("update arauto.delivery set state = 'leased', lease_owner = event_id, lease_until = now()");
  sql("update arauto.delivery set state = 'permanent_failure', cause = 'worker_lost', "
      "lease_owner = null, lease_until = null, settled_at = clock_timestamp()");
  std::vector<std::future<int>> askers;
  for (int n = 0; n < 2; ++n)
    askers.push_back(std::async(std::launch::async, [&] {
      storage::session own{settings()};
      int replayed = 0;
      storage::replay_count made;
      do {
        made = *storage::replay_dead_letters(own, acme, {{}, 30, 100, false, {}, 100});
        replayed += made.replayed;
      } while (made.next);
      return replayed;
    }));
  BOOST_TEST(askers[0].get() + askers[1].get() == dead);
  BOOST_TEST(value("select count(*) || ' ' || count(distinct next_attempt_at) || ' ' || "
                   "max(replays) from arauto.delivery where state = 'pending'")
             == "200 200 1");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
