// A tenant's notifications as a list: pages by keyset both ways, filters, and a walk that is
// bounded whatever is asked.
#include <set>

#include <boost/test/unit_test.hpp>

#include "storage/model/uuid.hpp"
#include "storage/sql/statements.hpp"
#include "tests/support/ledger.hpp"

using namespace arauto;
using namespace arauto::tests;

namespace {

using list = std::vector<std::string>;

struct many_events : ledger {
  storage::event_page page(const storage::event_filter& which = {},
                           const std::optional<storage::event_place>& from = {}, int rows = 3,
                           int walked = 100, const tenant_id& tenant = acme) {
    auto made = storage::list_events(db, tenant, which, from, rows, walked);
    BOOST_REQUIRE_MESSAGE(made, to_string(made.error()) + " " + made.why().text);
    return std::move(*made);
  }
  // Each a millisecond behind the one before: within one, the order is chance.
  void accept_next(const std::string& operation, const user_id& user = ana) {
    auto asked = order_shipped(operation);
    asked.user = user;
    asked.id = {
        uuid_v7(std::chrono::system_clock::now() + std::chrono::milliseconds{++accepted}, {})};
    BOOST_REQUIRE((accept_one(asked).verdict == acceptance::created));
  }
  void accept_many(int count) {
    for (int n = 0; n < count; ++n)
      accept_next("o-" + std::to_string(n));
  }
  int accepted = 0;
  // The plan that the service would keep for ever.
  std::string plan_of(const storage::statement& what) {
    pqxx::connection own{url};
    pqxx::nontransaction work{own};
    work.exec("set role arauto_tenant; set arauto.tenant = 'acme'"); // as a tenant's transaction
    work.exec("set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; "
              "set plan_cache_mode = force_generic_plan");
    work.exec("prepare asked (text, text, text, text, text, timestamptz, uuid, integer, integer) "
              "as "
              + std::string{what.text});
    std::string plan;
    for (const auto& row : work.exec("explain execute asked('acme', null, null, null, null, null, "
                                     "'01890000-0000-7000-8000-000000000000', 21, 10000)"))
      plan += row[0].as<std::string>() + "\n";
    return plan;
  }
};

list operations(const storage::event_page& page) {
  list names;
  for (const auto& event : page.events)
    names.push_back(event.operation);
  return names;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(event_list, many_events)

BOOST_AUTO_TEST_CASE(pages_are_newest_first_and_lead_back_to_where_one_came_from) {
  accept_many(7);
  const auto first = page();
  BOOST_TEST(operations(first) == (list{"o-6", "o-5", "o-4"}), boost::test_tools::per_element());
  BOOST_TEST(!first.newer);
  BOOST_TEST(first.events[0].deliveries.size() == 1u);
  const auto second = page({}, first.older);
  BOOST_TEST(operations(second) == (list{"o-3", "o-2", "o-1"}), boost::test_tools::per_element());
  const auto third = page({}, second.older);
  BOOST_TEST(operations(third) == list{"o-0"}, boost::test_tools::per_element());
  BOOST_TEST(!third.older);
  const auto back = page({}, third.newer);
  BOOST_TEST(operations(back) == operations(second), boost::test_tools::per_element());
  const auto start = page({}, back.newer);
  BOOST_TEST(operations(start) == operations(first), boost::test_tools::per_element());
  BOOST_TEST(!start.newer);
  accept_next("later");
  BOOST_TEST(operations(page({}, page({}, start.older).newer)) == operations(first),
             boost::test_tools::per_element());
  BOOST_TEST(operations(page({}, storage::event_place{start.events[0].id, true})) == list{"later"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(filters_are_asked_together) {
  add_user(acme, {"bo"}, "bo@example.com");
  accept_many(3);
  accept_next("to-bo", {"bo"});
  const auto held = claim(1);
  BOOST_REQUIRE(held.size() == 1u);
  storage::event_filter which;
  which.user = {"bo"};
  BOOST_TEST(operations(page(which)) == list{"to-bo"}, boost::test_tools::per_element());
  which.type = "news";
  BOOST_TEST(page(which).events.empty());
  which = {};
  which.now = state::leased;
  BOOST_TEST(operations(page(which)) == list{"o-0"}, boost::test_tools::per_element());
  which.via = channel::push;
  BOOST_TEST(page(which).events.empty());
  which = {};
  which.since = value("select arauto.rfc3339(created_at) from arauto.event where client_key = "
                      "'o-2'");
  BOOST_TEST(operations(page(which)) == (list{"to-bo", "o-2"}), boost::test_tools::per_element());
  which.since = "9999-12-31T23:59:59.999999Z";
  BOOST_TEST(page(which).events.empty());
  BOOST_TEST(operations(page({}, {}, 100, 100, {"zeta"})).empty());
}

BOOST_AUTO_TEST_CASE(a_filter_that_hardly_matches_gives_the_place_to_go_on_from) {
  add_user(acme, {"bo"}, "bo@example.com");
  accept_next("to-bo", {"bo"});
  accept_many(10);
  storage::event_filter rare;
  rare.user = {"bo"};
  list pieces;
  std::optional<storage::event_place> from, newer;
  do {
    const auto found = page(rare, from, 3, 4);
    pieces.push_back(found.events.empty() ? "" : found.events[0].operation);
    from = found.older;
    newer = found.newer;
  } while (from);
  BOOST_TEST(pieces == (list{"", "", "to-bo"}), boost::test_tools::per_element());
  // And the same way back, to the newest.
  int empty = 0;
  for (from = newer; from; from = page(rare, from, 3, 4).newer)
    ++empty;
  BOOST_TEST(empty == 3);
}

BOOST_AUTO_TEST_CASE(an_end_that_was_reached_exactly_is_found_on_the_next_page) {
  accept_many(4);
  const auto found = page({}, {}, 4, 4); // the walk ends at the bound and at the last row at once
  BOOST_TEST(found.events.size() == 4u);
  BOOST_REQUIRE(found.older.has_value());
  const auto last = page({}, found.older, 4, 4);
  BOOST_TEST(last.events.empty());
  BOOST_TEST(!last.older);
  BOOST_TEST(operations(page({}, last.newer, 4, 100)) == operations(found),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(both_doors_say_alike_what_a_delivery_waits_for) {
  const std::pair<const char*, const char*> rows[] = {
      {"turn", "state = 'pending', next_attempt_at = now()"},
      {"not_before", "state = 'pending', next_attempt_at = now() + interval '1 hour'"},
      {"lease", "state = 'leased'"},
      {"answer", "state = 'leased', begun_at = now()"},
      {"retry", "state = 'retry_wait', next_attempt_at = now() + interval '1 hour'"},
      {"turn", "state = 'retry_wait', next_attempt_at = now()"},
      {"person", "state = 'in_doubt', doubts = 1, doubted_at = now(), next_attempt_at = "
                 "'infinity'"}};
  for (const auto& [wanted, columns] : rows) {
    const auto id = accepted_event(columns);
    sql("update arauto.delivery set state = 'leased', lease_owner = event_id, lease_until = now() "
        "+ interval '1 hour' where event_id = '"
        + id.text + "'");
    const bool leased = std::string{columns}.find("'leased'") != std::string::npos;
    sql(std::string{"update arauto.delivery set "} + columns
        + (leased ? "" : ", lease_owner = null, lease_until = null") + " where event_id = '"
        + id.text + "'");
    BOOST_TEST(storage::find_event(db, acme, id)->deliveries.at(0).waits_for == wanted, columns);
    BOOST_TEST(value("select waiting_for from arauto.waiting where event_id = '" + id.text + "'")
                   == wanted,
               columns);
  }
}

// A list must not walk everybody's events, whatever the planner believes of the table.
BOOST_AUTO_TEST_CASE(the_walk_is_the_tenants_own_in_small_tables_and_large_ones) {
  const auto own_walk = [&](const char* what) {
    for (const auto& statement : {storage::sql::events_older, storage::sql::events_newer}) {
      const auto plan = plan_of(statement);
      BOOST_TEST((plan.find("event_of_tenant") != std::string::npos), what + ("\n" + plan));
      BOOST_TEST((plan.find("event_pkey") == std::string::npos), what + ("\n" + plan));
      BOOST_TEST((plan.find("Sort") == std::string::npos), what + ("\n" + plan));
    }
  };
  own_walk("empty");
  sql("insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, "
      "fingerprint, created_at) select arauto.first_id_of(now() + n * interval '1 second'), "
      "'acme', 'ana', 't', '{}', 1, n, 'x', now() from generate_series(1, 20000) n");
  own_walk("not yet counted");
  sql("analyze arauto.event");
  own_walk("one tenant has it all");
}

BOOST_AUTO_TEST_SUITE_END()
