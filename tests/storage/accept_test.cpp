// P1: accepted means committed. P2: one operation, one event. Field cases S09-S11.
#include <boost/test/unit_test.hpp>

#include <thread>

#include "tests/support/ledger.hpp"

namespace arauto::tests {

BOOST_AUTO_TEST_SUITE(accepting)

BOOST_FIXTURE_TEST_CASE(the_same_operation_gives_the_same_event, ledger) {
  const auto first = accept_one(order_shipped("o-1"));
  const auto again = accept_one(order_shipped("o-1"));
  BOOST_TEST((first.verdict == acceptance::created));
  BOOST_TEST((again.verdict == acceptance::replayed));
  BOOST_TEST(again.id.text == first.id.text);
  BOOST_TEST(again.created_at == first.created_at);
  BOOST_REQUIRE_EQUAL(again.deliveries.size(), 1);
  BOOST_TEST(value("select count(*) from arauto.event") == "1");
  BOOST_TEST(value("select count(*) from arauto.delivery") == "1");
}

BOOST_FIXTURE_TEST_CASE(a_meaning_written_differently_is_the_same_meaning_S09, ledger) {
  auto asked = order_shipped("o-1");
  asked.variables = R"({"order":"A-1","place":"S\u00e3o","n":{"a":1,"b":[1,2]}})";
  accept_one(asked);
  auto again = order_shipped("o-1");
  again.variables = R"({ "n": {"b":[1,2], "a":1}, "place":"São",  "order":"A-1" })";
  BOOST_TEST((accept_one(again).verdict == acceptance::replayed));
}

BOOST_FIXTURE_TEST_CASE(another_meaning_under_the_same_operation_is_a_conflict_S09, ledger) {
  auto asked = order_shipped("o-1");
  asked.variables = R"({"order":"A-1","total":10,"list":[1,2]})";
  const auto first = accept_one(asked);
  const auto conflicts = [&](auto change) {
    auto other = asked;
    other.id = new_event_id();
    change(other);
    const auto answer = accept_one(other);
    return answer.verdict == acceptance::conflict && answer.id.text.empty()
           && answer.deliveries.empty();
  };
  BOOST_TEST(
      conflicts([](auto& n) { n.variables = R"({"order":"A-1","total":11,"list":[1,2]})"; }));
  BOOST_TEST(
      conflicts([](auto& n) { n.variables = R"({"order":"A-1","total":10.0,"list":[1,2]})"; }));
  BOOST_TEST(
      conflicts([](auto& n) { n.variables = R"({"order":"A-1","total":"10","list":[1,2]})"; }));
  BOOST_TEST(
      conflicts([](auto& n) { n.variables = R"({"order":"A-1","total":10,"list":[2,1]})"; }));
  BOOST_TEST(conflicts([](auto& n) { n.urgency = priority::urgent; }));
  BOOST_TEST(conflicts([](auto& n) { n.channels_given = true, n.channels = {channel::email}; }));
  BOOST_TEST(conflicts([](auto& n) { n.send_at = "2030-01-01T00:00:00Z"; }));
  BOOST_TEST(value("select id from arauto.event") == first.id.text);
}

BOOST_FIXTURE_TEST_CASE(
    a_commit_in_doubt_is_run_again_with_the_same_id_and_still_counts_as_created_P1, ledger) {
  const auto asked = order_shipped("o-1");
  accept_one(asked);
  const auto again = accept_one(asked);
  BOOST_TEST((again.verdict == acceptance::created));
  BOOST_TEST(again.id.text == asked.id.text);
}

BOOST_FIXTURE_TEST_CASE(a_bad_neighbour_in_the_same_group_hurts_nobody, ledger) {
  accepted_event("taken");
  auto unknown = order_shipped("o-1");
  unknown.user = {"nobody"};
  auto untold = order_shipped("o-2");
  untold.type = "no.such.type";
  auto silent = order_shipped("o-3");
  silent.variables = "{}";
  auto pushed = order_shipped("o-4");
  pushed.channels_given = true;
  pushed.channels = {channel::email, channel::push};
  auto conflicting = order_shipped("taken");
  conflicting.variables = R"({"order":"other"})";
  const auto good = order_shipped("o-5");
  const auto answers = storage::accept(
      db, {unknown, untold, silent, pushed, conflicting, good, order_shipped("o-5")}, node,
      lease_length);
  BOOST_REQUIRE(answers);
  BOOST_TEST((answers->at(0).verdict == acceptance::unknown_user));
  BOOST_TEST((answers->at(1).verdict == acceptance::no_template));
  BOOST_TEST((answers->at(2).verdict == acceptance::missing_variable));
  BOOST_TEST(answers->at(2).subject == "order");
  BOOST_TEST((answers->at(3).verdict == acceptance::no_template));
  BOOST_TEST(answers->at(3).subject == "push");
  BOOST_TEST((answers->at(4).verdict == acceptance::conflict));
  BOOST_TEST((answers->at(5).verdict == acceptance::created));
  BOOST_TEST((answers->at(6).verdict == acceptance::replayed));
  BOOST_TEST(answers->at(6).id.text == good.id.text);
  BOOST_TEST(value("select count(*) from arauto.event") == "2");
}

BOOST_FIXTURE_TEST_CASE(a_known_operation_is_replayed_even_when_it_would_be_refused_today, ledger) {
  const auto first = accept_one(order_shipped("o-1"));
  BOOST_REQUIRE(storage::end_template(db, acme, "order.shipped", channel::email, ""));
  const auto again = accept_one(order_shipped("o-1"));
  BOOST_TEST((again.verdict == acceptance::replayed));
  BOOST_TEST(again.id.text == first.id.text);
}

BOOST_FIXTURE_TEST_CASE(what_has_expired_is_refused_unless_it_is_known_S11, ledger) {
  auto asked = order_shipped("in-time");
  asked.expires_at = value("select arauto.rfc3339(now() + interval '500 milliseconds')");
  const auto first = accept_one(asked);
  BOOST_TEST((first.verdict == acceptance::created));
  while (value("select clock_timestamp() <= '" + asked.expires_at + "'") == "t") {
  } // until its time has passed
  const auto ask_now = [&](const char* operation) {
    auto again = order_shipped(operation);
    again.expires_at = asked.expires_at;
    return accept_one(again);
  };
  BOOST_TEST((ask_now("in-time").verdict == acceptance::replayed));
  BOOST_TEST(ask_now("in-time").id.text == first.id.text);
  BOOST_TEST((ask_now("too-late").verdict == acceptance::expired));
  BOOST_TEST(value("select count(*) from arauto.event") == "1");
}

BOOST_FIXTURE_TEST_CASE(a_refused_request_does_not_burn_its_operation_id_S11, ledger) {
  auto asked = order_shipped("k1");
  asked.channels_given = true;
  asked.channels = {channel::push};
  BOOST_TEST((accept_one(asked).verdict == acceptance::no_template));
  BOOST_TEST((accept_one(order_shipped("k1")).verdict == acceptance::created));
}

BOOST_FIXTURE_TEST_CASE(two_tenants_may_use_the_same_operation_id_S10, ledger) {
  const tenant_id zeta{"zeta"};
  add_tenant(zeta);
  add_user(zeta, ana, "ana@zeta.example");
  auto other = order_shipped("1");
  other.tenant = zeta;
  const auto a = accept_one(order_shipped("1"));
  const auto b = accept_one(other);
  BOOST_TEST((b.verdict == acceptance::created));
  BOOST_TEST(a.id.text != b.id.text);
  BOOST_TEST((storage::find_event(db, zeta, a.id).error() == errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(fifty_at_once_make_one_event_S10, ledger) {
  for (int round = 0; round < 5; ++round) {
    const auto operation = "race-" + std::to_string(round);
    std::vector<accept_answer> answers(50);
    std::vector<std::thread> threads;
    for (auto& answer : answers)
      threads.emplace_back([&, this] {
        storage::session mine{settings()};
        const auto asked = order_shipped(operation);
        auto made = storage::accept(mine, {asked}, node, lease_length);
        while (made.error() == errc::busy) // fifty in a row may take longer than one waits
          made = storage::accept(mine, {asked}, node, lease_length);
        if (made) answer = made->at(0);
      });
    for (auto& one : threads)
      one.join();
    const auto created = std::count_if(answers.begin(), answers.end(), [](const auto& one) {
      return one.verdict == acceptance::created;
    });
    BOOST_TEST(created == 1);
    for (const auto& one : answers)
      BOOST_TEST(one.id.text == answers[0].id.text);
    BOOST_TEST(value("select count(*) from arauto.event where client_key = '" + operation + "'")
               == "1");
  }
}

BOOST_FIXTURE_TEST_CASE(
    an_application_that_holds_the_key_in_its_open_transaction_delays_that_item_only, ledger) {
  pqxx::connection application{url};
  pqxx::work open{application};
  open.exec("insert into arauto.event (id, tenant_id, user_id, type, variables, priority, "
            "client_key, fingerprint, "
            "created_at) values ('"
            + new_event_id().text
            + "', 'acme', 'ana', 'order.shipped', '{}', 1, 'held', '', now())");
  const auto blocked =
      storage::accept(db, {order_shipped("held"), order_shipped("free")}, node, lease_length);
  BOOST_TEST((blocked.error() == errc::busy));
  BOOST_TEST((accept_one(order_shipped("free")).verdict == acceptance::created));
}

BOOST_FIXTURE_TEST_CASE(a_channel_opted_out_at_accept_is_suppressed_at_once, ledger) {
  BOOST_REQUIRE(storage::put_preferences(db, acme, ana, {{"", {{channel::email, false}}}}));
  const auto answer = accept_one(order_shipped("o-1"));
  BOOST_REQUIRE_EQUAL(answer.deliveries.size(), 1);
  BOOST_TEST(to_string(answer.deliveries[0].now) == "suppressed");
  BOOST_TEST(value("select cause from arauto.delivery") == "opted_out");
}

BOOST_FIXTURE_TEST_CASE(no_address_and_no_device_end_at_once_without_an_attempt, ledger) {
  storage::recipient bruno;
  bruno.user = {"bruno"};
  BOOST_REQUIRE(storage::put_recipient(db, acme, bruno));
  storage::template_view pushed;
  pushed.type = "order.shipped";
  pushed.via = channel::push;
  pushed.parts = {{"title", "Order"}};
  BOOST_REQUIRE(storage::put_template(db, acme, pushed));
  auto asked = order_shipped("o-1");
  asked.user = bruno.user;
  const auto answer = accept_one(asked);
  BOOST_REQUIRE_EQUAL(answer.deliveries.size(), 2);
  for (const auto& one : answer.deliveries)
    BOOST_TEST(to_string(one.now) == "permanent_failure");
  BOOST_TEST(value("select string_agg(cause, ' ' order by channel) from arauto.delivery")
             == "no_address no_device");
}

BOOST_FIXTURE_TEST_CASE(a_delivery_may_be_born_leased_but_never_before_its_time, ledger) {
  auto now = order_shipped("now");
  now.lease_at_once = {channel::email};
  auto later = order_shipped("later");
  later.lease_at_once = {channel::email};
  later.send_at = "2099-01-01T00:00:00Z";
  BOOST_TEST(to_string(accept_one(now).deliveries.at(0).now) == "leased");
  BOOST_TEST(to_string(accept_one(later).deliveries.at(0).now) == "pending");
  BOOST_TEST(value("select lease_token from arauto.delivery where state = 'leased'") == "1");
  BOOST_TEST(claim().empty());
}

BOOST_FIXTURE_TEST_CASE(the_template_of_the_persons_language_is_chosen_and_pinned, ledger) {
  const auto put = [&](const std::string& locale, const std::string& words) {
    storage::template_view one;
    one.type = "order.shipped";
    one.locale = locale;
    one.parts = {{"subject", words}, {"text", words}};
    BOOST_REQUIRE(storage::put_template(db, acme, one));
  };
  put("pt", "Pedido");
  storage::recipient who;
  who.user = ana;
  who.email = who.email_key = "ana@example.com";
  who.locale = "pt-BR";
  BOOST_REQUIRE(storage::put_recipient(db, acme, who));
  accepted_event("o-1");
  put("pt", "Outra versão");
  BOOST_TEST(permit_one(claim_one()).facts.parts.at(0).text == "Pedido");
  accepted_event("o-2");
  BOOST_TEST(permit_one(claim_one()).facts.parts.at(0).text == "Outra versão");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
