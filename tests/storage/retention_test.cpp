// What is over is forgotten after its time; what is live, or in doubt, never. And forgetting a
// person: the races of erasure. P2, P3, P6.
#include <boost/test/unit_test.hpp>

#include <future>

#include <nlohmann/json.hpp>

#include "storage/dead_letters.hpp"
#include "storage/model/chance.hpp"
#include "storage/model/uuid.hpp"
#include "storage/retention.hpp"
#include "storage/sql/statements.hpp"
#include "tests/support/crossing.hpp"

namespace arauto::tests {

namespace {

constexpr int days = 90;

struct old_office : crossing {
  // Accepted a hundred days ago; ids begin with their time.
  event_id old_event(const std::string& operation) {
    auto asked = order_shipped(operation);
    asked.id = {uuid_v7(std::chrono::system_clock::now() - std::chrono::hours{24 * 100},
                        random_bytes_10())};
    BOOST_REQUIRE((accept_one(asked).verdict == acceptance::created));
    sql("update arauto.event set created_at = now() - interval '100 days' where id = '"
        + asked.id.text + "'");
    return asked.id;
  }
  event_id old_dead_letter(const std::string& operation) {
    const auto id = old_event(operation);
    const auto held = claim_one();
    permit_one(held);
    settle_one(held, verdict::refused, {state::permanent_failure, {}, false, "refused"});
    ended_days_ago(id, 95);
    return id;
  }
  void ended_days_ago(const event_id& id, int age) {
    sql("update arauto.delivery set settled_at = now() - interval '" + std::to_string(age)
        + " days' where event_id = '" + id.text + "'");
  }
  int retired(int rows_max = 500) {
    const auto made = storage::retire(db, days, rows_max);
    BOOST_REQUIRE_MESSAGE(made, to_string(made.error()) + " " + made.why().text);
    return *made;
  }
  std::string rows_of(const event_id& id) {
    return value("select count(*) from (select id from arauto.event union all select event_id from "
                 "arauto.delivery union all select event_id from arauto.attempt) as r(id) where "
                 "id = '"
                 + id.text + "'");
  }
  bool one_waits() {
    return value("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                 "datname = current_database()")
           != "0";
  }
  // How many of a provider's words stand.
  std::string words() {
    return value("select (select count(detail) from arauto.delivery) + (select count(detail) from "
                 "arauto.attempt)");
  }
};

std::string with_values(std::string text, const std::string& one, const std::string& two) {
  text.replace(text.rfind("$1::"), 2, one);
  while (text.rfind("$1::") != std::string::npos)
    text.replace(text.rfind("$1::"), 2, one);
  return text.replace(text.rfind("$2::"), 2, two);
}

std::string refused_json(const storage::lease& held) {
  return nlohmann::json{{{"n", 0},
                         {"event_id", held.key.event.text},
                         {"channel", "email"},
                         {"tenant_id", held.tenant.text},
                         {"lease_token", held.held.number},
                         {"state", "permanent_failure"},
                         {"outcome", "refused"},
                         {"code", 550},
                         {"detail", "550 unknown: ana@example.com"},
                         {"cause", "refused"}}}
      .dump();
}

std::string accept_one_json(const notification& asked, int n) {
  return nlohmann::json{{"n", n},
                        {"id", asked.id.text},
                        {"tenant_id", asked.tenant.text},
                        {"user_id", asked.user.text},
                        {"type", asked.type},
                        {"variables", asked.variables},
                        {"client_key", asked.operation.text},
                        {"priority", 1},
                        {"lease_at_once", nlohmann::json::array()}}
      .dump();
}

} // namespace

BOOST_AUTO_TEST_SUITE(retention)

BOOST_FIXTURE_TEST_CASE(an_old_event_that_is_over_goes_with_all_that_hangs_on_it, old_office) {
  const auto over = old_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  settle_accepted(held);
  ended_days_ago(over, 95);
  const auto young = accepted_event("o-2");
  const auto later = claim_one();
  permit_one(later);
  settle_accepted(later);
  BOOST_TEST(rows_of(over) == "3");
  BOOST_TEST(retired() == 1);
  BOOST_TEST(rows_of(over) == "0");
  BOOST_TEST(rows_of(young) == "3");
  BOOST_TEST(retired() == 0);
  // As long as the event is kept, and no longer (P2).
  BOOST_TEST((accept_one(order_shipped("o-1")).verdict == acceptance::created));
  BOOST_TEST((accept_one(order_shipped("o-2")).verdict == acceptance::replayed));
}

BOOST_FIXTURE_TEST_CASE(an_event_with_anything_live_is_kept_however_old_P3, old_office) {
  const auto kept = [&](const event_id& id, const char* wanted) {
    BOOST_TEST(to_string(state_of(id)) == wanted);
    BOOST_TEST(retired() == 0);
    BOOST_TEST(rows_of(id) != "0");
  };
  const auto id = old_event("o-1");
  kept(id, "pending");
  const auto held = claim_one();
  kept(id, "leased");
  permit_one(held);
  settle_one(held, verdict::unknown, {state::in_doubt, {}, true, "lost_answer"});
  kept(id, "in_doubt"); // P6: until somebody knows
}

// Sent late, doubted long, or tried again: an end is kept as long as an event.
BOOST_FIXTURE_TEST_CASE(what_ended_a_minute_ago_is_kept_however_old_its_event_is, old_office) {
  const auto ended = old_dead_letter("o-1");
  ended_days_ago(ended, 0);
  const auto over = old_dead_letter("o-2");
  BOOST_TEST(retired(1) == 1); // the limit is not spent on what is kept
  BOOST_TEST(rows_of(ended) == "3");
  BOOST_TEST(rows_of(over) == "0");
  ended_days_ago(ended, days - 1);
  BOOST_TEST(retired() == 0);
}

BOOST_FIXTURE_TEST_CASE(what_is_old_goes_in_batches_until_one_comes_back_short, old_office) {
  for (int n = 0; n < 5; ++n)
    old_dead_letter("o-" + std::to_string(n));
  BOOST_TEST(retired(2) == 2);
  BOOST_TEST(retired(2) == 2);
  BOOST_TEST(retired(2) == 1);
}

BOOST_FIXTURE_TEST_CASE(an_id_of_a_slow_clock_is_not_believed_alone, old_office) {
  const auto id = old_dead_letter("o-1");
  sql("update arauto.event set created_at = now()");
  BOOST_TEST(retired() == 0);
  BOOST_TEST(rows_of(id) == "3");
}

BOOST_FIXTURE_TEST_CASE(the_walk_ends_at_the_boundary_and_sorts_nothing, old_office) {
  pqxx::connection other{url};
  pqxx::nontransaction work{other};
  work.exec("set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; "
            "set plan_cache_mode = force_generic_plan");
  work.exec(std::string{"prepare hold(integer, integer) as "} + storage::sql::retire_hold.text);
  std::string plan;
  for (const auto& row : work.exec("explain (costs off) execute hold(90, 500)"))
    plan += std::string{row[0].c_str()} + "\n";
  const auto says = [&](const char* words) { return plan.find(words) != std::string::npos; };
  BOOST_TEST(says("Index Cond: (id < "), plan);
  BOOST_TEST(says("Index Cond: (event_id = e.id)"), plan);
  BOOST_TEST(!says("Seq Scan"), plan);
  BOOST_TEST(!says("Sort"), plan);
  BOOST_TEST(!says("Materialize"), plan); // of all that is live, as a plan for few rows would
}

// -- a replay against retention ------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(retention_passes_over_what_a_replay_holds, old_office) {
  const auto id = old_dead_letter("o-1");
  const auto other_one = old_dead_letter("o-2");
  pqxx::connection other{url};
  pqxx::work replaying{other};
  replaying.exec_params(storage::sql::replay.text, "acme", id.text, "email", false);
  BOOST_TEST(retired() == 1); // it waits for nobody
  BOOST_TEST(rows_of(other_one) == "0");
  replaying.commit();
  BOOST_TEST(to_string(state_of(id)) == "pending");
  BOOST_TEST(retired() == 0);
  BOOST_TEST(claim().size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(retention_with_an_old_snapshot_sees_what_was_replayed_since, old_office) {
  const auto id = old_dead_letter("o-1");
  pqxx::connection other{url};
  pqxx::work retiring{other};
  // A cursor takes its snapshot now and its locks when it is read.
  retiring.exec("declare old cursor for "
                + with_values(storage::sql::retire_hold.text, "90", "500"));
  BOOST_REQUIRE(storage::replay(db, acme, {id, channel::email}, false));
  BOOST_TEST(retiring.exec("fetch all from old").empty());
  retiring.commit();
  BOOST_TEST(to_string(state_of(id)) == "pending");
}

BOOST_FIXTURE_TEST_CASE(a_replay_that_waits_on_retention_finds_nothing, old_office) {
  const auto id = old_dead_letter("o-1");
  pqxx::connection other{url};
  pqxx::work retiring{other};
  BOOST_REQUIRE_EQUAL(retiring.exec_params(storage::sql::retire_hold.text, days, 500).size(), 1);
  auto replaying = std::async(std::launch::async, [&] {
    return storage::replay(db, acme, {id, channel::email}, false).error();
  });
  until_waiting(1);
  retiring.exec_params(storage::sql::retire.text, "{" + id.text + "}");
  retiring.commit();
  BOOST_TEST((replaying.get() == errc::not_found));
  BOOST_TEST(rows_of(id) == "0");
}

BOOST_FIXTURE_TEST_CASE(a_late_answer_leaves_no_trail_without_its_delivery, old_office) {
  const auto id = old_event("o-1");
  const auto frozen = claim_one();
  permit_one(frozen);
  settle_one(frozen, verdict::unknown, {state::in_doubt, {}, true, "worker_lost"});
  // Of an attempt before the newest, and the first word about it.
  sql("update arauto.delivery set state = 'permanent_failure', settled_at = now() - interval '95 "
      "days', "
      "lease_token = lease_token + 1");
  sql("delete from arauto.attempt");
  const nlohmann::json answer = {{{"n", 0},
                                  {"event_id", id.text},
                                  {"tenant_id", "acme"},
                                  {"channel", "email"},
                                  {"lease_token", frozen.held.number},
                                  {"state", "provider_accepted"},
                                  {"outcome", "accepted"},
                                  {"code", 250}}};
  pqxx::connection other{url};
  {
    pqxx::work settling{other};
    settling.exec_params(storage::sql::settle.text, answer.dump());
    BOOST_TEST(retired() == 0);
    settling.commit();
  }
  BOOST_TEST(rows_of(id) == "3");
  // And the other way round: it comes while the event is on its way out.
  pqxx::work retiring{other};
  BOOST_REQUIRE_EQUAL(retiring.exec_params(storage::sql::retire_hold.text, days, 500).size(), 1);
  auto settling = std::async(std::launch::async, [&] {
    pqxx::connection third{url};
    pqxx::work work{third};
    const auto rows = work.exec_params(storage::sql::settle.text, answer.dump()).size();
    work.commit();
    return rows;
  });
  until_waiting(1);
  retiring.exec_params(storage::sql::retire.text, "{" + id.text + "}");
  retiring.commit();
  BOOST_TEST(settling.get() == 0u);
  BOOST_TEST(rows_of(id) == "0");
}

// -- a provider's words against an erasure -------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(an_answer_that_waited_for_an_erasure_leaves_no_words, old_office) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  pqxx::connection other{url};
  pqxx::work erasing{other};
  const auto told = erasing.exec_params(storage::sql::recipient_erase_messages.text, "acme", "ana");
  BOOST_REQUIRE_EQUAL(told.size(), 1);
  auto settling = std::async(std::launch::async, [&] {
    pqxx::connection third{url};
    pqxx::work work{third};
    work.exec_params(storage::sql::settle.text, refused_json(held));
    work.commit();
  });
  until_waiting(1);
  erasing.exec_params(storage::sql::stop_user.text, "acme", "ana", "erased");
  erasing.exec_params(storage::sql::recipient_erase_words.text, "acme", "{" + id.text + "}");
  erasing.commit();
  settling.get();
  BOOST_TEST(to_string(state_of(id)) == "permanent_failure");
  BOOST_TEST(words() == "0");
}

// The first to come holds the row, here a final one, which no stop would lock.
BOOST_FIXTURE_TEST_CASE(an_erasure_waits_for_a_late_answer_and_takes_its_words, old_office) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  settle_one(held, verdict::unknown, {state::in_doubt, {}, true, "lost_answer"});
  sql("update arauto.delivery set gives_up_at = now()");
  BOOST_REQUIRE_EQUAL(storage::give_up_waits(db, 1)->size(), 1);
  pqxx::connection other{url};
  pqxx::work settling{other};
  settling.exec_params(storage::sql::settle.text, refused_json(held));
  auto erasing =
      std::async(std::launch::async, [&] { return bool(storage::erase_recipient(db, acme, ana)); });
  while (erasing.wait_for(std::chrono::seconds{0}) != std::future_status::ready && !one_waits())
    std::this_thread::yield();
  settling.commit();
  BOOST_TEST(erasing.get());
  BOOST_TEST(value("select outcome from arauto.attempt") == "refused");
  BOOST_TEST(words() == "0");
}

// -- an accept against an erasure ----------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(an_erasure_waits_for_an_accept_and_stops_what_it_made, old_office) {
  const auto asked = order_shipped("o-1");
  pqxx::connection other{url};
  pqxx::work accepting{other};
  accepting.exec_params(storage::sql::accept.text, "[" + accept_one_json(asked, 0) + "]", node.text,
                        lease_length.count());
  auto erasing =
      std::async(std::launch::async, [&] { return storage::erase_recipient(db, acme, ana); });
  until_waiting(1);
  accepting.commit();
  const auto stops = erasing.get();
  BOOST_REQUIRE(stops);
  BOOST_REQUIRE_EQUAL(stops->size(), 1);
  BOOST_TEST(stops->at(0).came_to == "stopped");
  BOOST_TEST(to_string(state_of(asked.id)) == "cancelled");
  BOOST_TEST(value("select coalesce(variables::text, 'none') from arauto.event") == "none");
}

BOOST_FIXTURE_TEST_CASE(an_accept_with_an_old_snapshot_sees_who_was_erased_since, old_office) {
  add_user(acme, {"aaa"}, "aaa@example.com");
  auto first = order_shipped("o-0");
  first.user = {"aaa"};
  const auto second = order_shipped("o-1");
  // The group stands before the first person, its snapshot taken, while the second one is erased.
  pqxx::connection other{url};
  pqxx::work holding{other};
  holding.exec("select from arauto.recipient where user_id = 'aaa' for update");
  auto accepting = std::async(std::launch::async, [&] {
    pqxx::connection third{url};
    pqxx::work work{third};
    work.exec_params(storage::sql::accept.text,
                     "[" + accept_one_json(first, 0) + "," + accept_one_json(second, 1) + "]",
                     node.text, lease_length.count());
    work.commit();
  });
  until_waiting(1);
  BOOST_REQUIRE(storage::erase_recipient(db, acme, ana));
  holding.commit();
  accepting.get();
  BOOST_TEST(to_string(state_of(first.id)) == "pending");
  BOOST_TEST(rows_of(second.id) == "0");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
