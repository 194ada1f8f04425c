// The views that other people's SQL may read: words for every wait, no people in them.
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include "tests/support/shop.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(public_views)

struct reading : shop {
  std::string seen(const std::string& text) {
    pqxx::connection connection{role.url};
    pqxx::nontransaction work{connection};
    const auto row = work.exec1(text);
    return row[0].is_null() ? "" : row[0].c_str();
  }
  std::string waiting_for(const std::string& operation) {
    return seen("select coalesce(max(waiting_for), 'nothing') from arauto.waiting where "
                "client_operation_id = '"
                + operation + "'");
  }
};

BOOST_FIXTURE_TEST_CASE(each_wait_has_its_word, reading) {
  call later{"later"};
  later.send_at = "tomorrow";
  notify_one(later);
  notify_one({"o-1"});
  BOOST_TEST(waiting_for("later") == "not_before");
  BOOST_TEST(waiting_for("o-1") == "turn");
  const auto held = claim_one();
  BOOST_TEST(waiting_for("o-1") == "lease");
  permit_one(held);
  BOOST_TEST(waiting_for("o-1") == "answer");
  settle_one(held, verdict::refused_for_now, {state::retry_wait, std::chrono::hours{1}, false, {}});
  BOOST_TEST(waiting_for("o-1") == "retry");
  sql("update arauto.delivery set next_attempt_at = now() where state = 'retry_wait'");
  BOOST_TEST(waiting_for("o-1") == "turn");
  settle_accepted(claim_one());
  BOOST_TEST(waiting_for("o-1") == "nothing");
}

BOOST_FIXTURE_TEST_CASE(lag_counts_what_could_go_now, reading) {
  notify_one({"o-1"});
  notify_one({"o-2"});
  call later{"later"};
  later.send_at = "tomorrow";
  notify_one(later);
  sql("update arauto.delivery set next_attempt_at = now() - interval '1 minute' where event_id = "
      "(select id from arauto.event where client_key = 'o-1')");
  BOOST_TEST(seen("select channel || ' ' || priority || ' ' || due || ' ' || (lag_s between 60 and "
                  "120) from arauto.lag_by_tenant")
             == "email normal 2 true");
}

BOOST_FIXTURE_TEST_CASE(doubts_and_dead_letters_are_listed, reading) {
  notify_one({"doubtful"});
  const auto lost = claim_one();
  permit_one(lost);
  let_expire(lost);
  reap_all({doubt_rule::hold, {}, 1});
  notify_one({"dead"});
  const auto held = claim_one();
  permit_one(held);
  settle_one(held, verdict::refused, {state::permanent_failure, {}, false, "content_refused"});
  BOOST_TEST(seen("select waits_for from arauto.in_doubt") == "person");
  BOOST_TEST(waiting_for("doubtful") == "person");
  BOOST_TEST(seen("select client_operation_id || ' ' || cause from arauto.dead_letters")
             == "dead content_refused");
  BOOST_TEST(seen("select count(*) from arauto.lag_by_tenant") == "0");
}

// Blocks that a query touches, its joins and sub-selects included.
std::size_t blocks_of(const std::string& url, const std::string& query) {
  pqxx::connection connection{url};
  pqxx::nontransaction work{connection};
  work.exec(query); // what is learnt once is not counted
  const auto told = nlohmann::json::parse(
      work.exec1("explain (analyze, buffers, format json) " + query)[0].c_str());
  const auto& plan = told.at(0).at("Plan");
  return plan.at("Shared Hit Blocks").get<std::size_t>()
         + plan.at("Shared Read Blocks").get<std::size_t>();
}

BOOST_FIXTURE_TEST_CASE(what_others_have_costs_a_tenant_nothing_P8, reading) {
  notify_one({"o-1"});
  sql("insert into arauto.tenant (id, name) select 't' || i, 'x' from generate_series(1, 1000) i;"
      "insert into arauto.recipient (tenant_id, user_id) select 't' || i, 'ana' from "
      "generate_series(1, 1000) i;"
      "insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, "
      "fingerprint, created_at) select gen_random_uuid(), 't' || i, 'ana', 'x', '{}', 1, 'k' || n, "
      "'x', now() from generate_series(1, 1000) i, generate_series(1, 20) n;"
      "insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, "
      "next_attempt_at, cause, settled_at, doubts, doubted_at) select e.id, 'email', e.tenant_id, "
      "'ana', 1, s.state, now(), case s.state when 'permanent_failure' then 'x' end, case s.state "
      "when 'permanent_failure' then now() end, 1, now() from arauto.event e cross join lateral "
      "(select (array['pending', 'permanent_failure', 'in_doubt', 'retry_wait'])[1 + "
      "(hashtext(e.id::text) & 3)] as state) s where e.type = 'x'");
  sql("analyze");
  for (const auto* view : {"waiting", "lag_by_tenant", "in_doubt", "dead_letters"}) {
    const auto touched = blocks_of(role.url, std::string{"select * from arauto."} + view);
    BOOST_TEST_MESSAGE(view << ": " << touched << " blocks");
    BOOST_TEST(touched < 100, view);
  }
}

BOOST_FIXTURE_TEST_CASE(each_view_says_its_version_and_shows_no_words_and_no_address, reading) {
  BOOST_TEST(seen("select arauto.api_version()") == "1");
  for (const auto* view : {"dead_letters", "in_doubt", "lag_by_tenant", "waiting"}) {
    const std::string of = std::string{"'arauto."} + view + "'::regclass";
    BOOST_TEST(seen("select obj_description(" + of + ")").find("version 1: ") == 0U, view);
    BOOST_TEST(seen("select count(*) from pg_attribute where attrelid = " + of
                    + " and attname ~ 'variables|email|address|token|name$'")
                   == (std::string{view} == "in_doubt" ? "1" : "0"), // lease_token
               view);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
