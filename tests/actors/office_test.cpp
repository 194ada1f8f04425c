// The path of one notification through the real actors and a real database. P1-P7, P9.
#include <boost/test/unit_test.hpp>

#include "tests/support/running_office.hpp"

namespace arauto::tests {

namespace {

using answer = scripted_port::answer;

} // namespace

BOOST_AUTO_TEST_SUITE(the_office)

BOOST_FIXTURE_TEST_CASE(an_accepted_notification_reaches_the_provider_and_is_recorded,
                        running_office) {
  open();
  const auto made = submit("o-1");
  wait_for_state(made.id, state::provider_accepted);
  BOOST_TEST(provider->count() == 1);
  BOOST_TEST(provider->seen[0].bytes == "Order A-1");
  const auto seen = storage::find_event(db, acme, made.id);
  BOOST_TEST(seen->deliveries.at(0).provider_ref == "ref");
  BOOST_TEST(seen->deliveries[0].attempts == 1);
}

BOOST_FIXTURE_TEST_CASE(the_second_notification_of_a_tenant_is_born_leased, running_office) {
  open();
  wait_for_state(submit("o-1").id, state::provider_accepted);
  wait_until("room is offered", [&] {
    static int n = 0;
    const auto made = submit("more-" + std::to_string(++n));
    return made.deliveries.at(0).now == state::leased;
  });
}

BOOST_FIXTURE_TEST_CASE(work_that_nobody_hinted_at_is_found_by_the_poll, running_office) {
  const auto id = accepted_event("written-by-other-means");
  open();
  wait_for_state(id, state::provider_accepted);
}

BOOST_FIXTURE_TEST_CASE(a_provider_that_is_busy_is_asked_again_and_no_more_than_the_budget_S13,
                        running_office) {
  provider->how = [](const auto&, int) {
    return answer{false, says(verdict::refused_for_now, 451, "busy")};
  };
  rules.retry.attempts_max = 3;
  open();
  const auto id = submit("o-1").id;
  wait_for_state(id, state::permanent_failure);
  BOOST_TEST(provider->count() == 3);
  BOOST_TEST(value("select cause from arauto.delivery") == "attempts_exhausted");
}

BOOST_FIXTURE_TEST_CASE(a_lost_answer_is_doubt_sent_again_once_with_the_same_identity_then_held_P6,
                        running_office) {
  provider->how = [](const auto&, int) {
    return answer{false, says(verdict::unknown, 0, "lost_answer")};
  };
  open();
  const auto id = submit("o-1").id;
  BOOST_REQUIRE(provider->wait_seen(2));
  wait_until("held in doubt", [&] {
    return value("select state || ' ' || next_attempt_at::text from arauto.delivery")
           == "in_doubt infinity";
  });
  BOOST_TEST((provider->seen[0].key == provider->seen[1].key));
  BOOST_TEST(value("select doubtful from arauto.delivery") == "t");
  BOOST_TEST(value("select count(*) from arauto.attempt where outcome = 'unknown'") == "2");
}

BOOST_FIXTURE_TEST_CASE(an_account_that_refuses_us_is_paused_and_no_attempt_is_spent_P7_S26,
                        running_office) {
  std::atomic<bool> mended{false};
  provider->how = [&](const auto&, int) {
    return mended ? answer{false, says(verdict::accepted)}
                  : answer{false, says(verdict::account_refused, 535, "authentication_failed")};
  };
  open();
  const auto id = submit("o-1").id;
  wait_until("a deferral is counted",
             [&] { return value("select deferrals from arauto.delivery") != "0"; });
  BOOST_TEST(value("select attempts from arauto.delivery") == "0");
  mended = true;
  wait_for_state(id, state::provider_accepted);
  BOOST_TEST(value("select attempts from arauto.delivery") == "1");
}

BOOST_FIXTURE_TEST_CASE(poison_ends_as_worker_crashed_and_its_neighbours_are_untouched_S12,
                        running_office) {
  provider->poison = "poison@example.com";
  add_user(acme, {"poison"}, "poison@example.com");
  rules.lost_leases_max = 4;
  open();
  const auto poison = submit("poison", {"poison"}).id;
  for (int i = 0; i < 20; ++i)
    submit("good-" + std::to_string(i));
  wait_for_state(poison, state::permanent_failure);
  wait_until("the neighbours are accepted",
             [&] { return count_of(state::provider_accepted) == 20; });
  BOOST_TEST(value("select cause || ' ' || attempts from arauto.delivery where event_id = '"
                   + poison.text + "'")
             == "worker_crashed 0");
  BOOST_TEST(metric("arauto_actor_restarts_total") == 4);
  BOOST_TEST(!collapsed);
}

BOOST_FIXTURE_TEST_CASE(
    suspects_are_cleared_one_by_one_by_their_permits_not_by_the_providers_answers, running_office) {
  provider->how = [](const auto&, int) { return answer{true, {}}; };
  for (int i = 0; i < 20; ++i)
    accepted_event("o-" + std::to_string(i));
  sql("update arauto.delivery set lost_leases = 2");
  open();
  BOOST_TEST(provider->wait_seen(20)); // all are with the silent provider at once
  provider->release(says(verdict::accepted));
  wait_until("all are accepted", [&] { return count_of(state::provider_accepted) == 20; });
}

BOOST_FIXTURE_TEST_CASE(a_tenant_that_keeps_crashing_is_stopped_and_the_others_go_on_P8,
                        running_office) {
  provider->poison = "poison@example.com";
  add_user(acme, {"poison"}, "poison@example.com");
  const tenant_id zeta{"zeta"};
  add_tenant(zeta);
  add_user(zeta, ana, "ana@zeta.example");
  rules.restarts_max = 5;
  open();
  for (int i = 0; i < 12; ++i)
    submit("poison-" + std::to_string(i), {"poison"});
  wait_until("the branch is stopped", [&] { return metric("arauto_actor_restarts_total") > 5; });
  auto other = order_shipped("o-1");
  other.tenant = zeta;
  const auto made = staff->submit(other);
  BOOST_REQUIRE(made);
  wait_for_state(made->id, state::provider_accepted);
  BOOST_TEST(!collapsed);
}

BOOST_FIXTURE_TEST_CASE(a_courier_that_crashes_is_replaced_and_nothing_is_lost_S40,
                        running_office) {
  rules.lease = std::chrono::milliseconds{1'500};
  rules.lease_margin = std::chrono::milliseconds{500};
  provider->broken = true;
  open();
  for (int i = 0; i < 5; ++i)
    submit("o-" + std::to_string(i));
  wait_until("it was replaced", [&] { return metric("arauto_actor_restarts_total") > 0; });
  provider->broken = false;
  wait_until("all are accepted", [&] { return count_of(state::provider_accepted) == 5; });
  BOOST_TEST(provider->count() == 5u);
  BOOST_TEST(!collapsed);
}

BOOST_FIXTURE_TEST_CASE(
    what_was_on_its_way_when_the_courier_crashed_is_doubt_when_trust_ends_P6_S40, running_office) {
  rules.lease = std::chrono::milliseconds{1'500};
  rules.lease_margin = std::chrono::milliseconds{500};
  provider->how = [](const auto&, int) { return answer{true, {}}; };
  rules.doubt.rule = doubt_rule::hold;
  open();
  const auto begun = std::chrono::steady_clock::now();
  submit("on-its-way");
  BOOST_REQUIRE(provider->wait_seen(1));
  provider->broken = true;
  submit("meets-the-broken-one");
  wait_until("the courier was replaced", [&] { return metric("arauto_actor_restarts_total") > 0; });
  provider->how = nullptr;
  provider->broken = false;
  wait_until("the doubt has its name", [&] {
    return value("select count(*) from arauto.delivery"
                 " where state = 'in_doubt' and cause = 'courier_lost'")
           == "1";
  });
  BOOST_TEST((std::chrono::steady_clock::now() - begun >= rules.lease - rules.lease_margin),
             "the port could still have sent what was called lost");
  wait_until("the other is accepted", [&] { return count_of(state::provider_accepted) == 1; });
}

BOOST_FIXTURE_TEST_CASE(a_courier_that_keeps_crashing_closes_its_account_for_a_while,
                        running_office) {
  rules.restarts_max = 2;
  rules.restart_window = std::chrono::seconds{2};
  rules.lease = std::chrono::milliseconds{500};
  rules.lease_margin = std::chrono::milliseconds{100};
  provider->broken = true;
  open();
  submit("o-1");
  wait_until("the account is closed", [&] { return metric("arauto_account_paused") > 0; });
  provider->broken = false;
  wait_until("it is open again", [&] { return count_of(state::provider_accepted) == 1; });
  BOOST_TEST(metric("arauto_account_paused") == 0);
  BOOST_TEST(!collapsed.load());
}

BOOST_FIXTURE_TEST_CASE(what_does_not_fit_the_window_waits_in_the_database_P9, running_office) {
  provider->how = [](const auto&, int) { return answer{true, {}}; };
  provider->sends_max = 4;
  rules.window_max = 16;
  open();
  for (int i = 0; i < 100; ++i)
    submit("o-" + std::to_string(i));
  BOOST_REQUIRE(provider->wait_seen(4));
  for (int look = 0; look < 20; ++look) {
    BOOST_TEST(count_of(state::leased) <= 16);
    BOOST_TEST(metric("arauto_deliveries_in_flight") <= 16);
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  BOOST_TEST(provider->count() == 4);
  provider->how = nullptr;
  provider->release(says(verdict::accepted));
  wait_until("all are accepted", [&] { return count_of(state::provider_accepted) == 100; });
}

BOOST_FIXTURE_TEST_CASE(a_lease_is_renewed_while_the_provider_is_slow, running_office) {
  provider->how = [](const auto&, int) { return answer{true, {}}; };
  rules.lease = std::chrono::milliseconds{2'000};
  rules.lease_margin = std::chrono::milliseconds{500};
  open();
  const auto id = submit("o-1").id;
  BOOST_REQUIRE(provider->wait_seen(1));
  const auto begun = std::chrono::steady_clock::now();
  wait_until("two lease lengths have passed", [&] {
    return std::chrono::steady_clock::now() - begun > std::chrono::milliseconds{4'500};
  });
  BOOST_TEST(to_string(state_of(id)) == "leased");
  provider->release(says(verdict::accepted));
  wait_for_state(id, state::provider_accepted);
  BOOST_TEST(provider->count() == 1);
}

BOOST_FIXTURE_TEST_CASE(an_orderly_stop_gives_back_what_has_no_permit_and_finishes_what_has_S15,
                        running_office) {
  provider->how = [](const auto&, int) { return answer{true, {}}; };
  provider->sends_max = 2;
  open();
  for (int i = 0; i < 10; ++i)
    submit("o-" + std::to_string(i));
  BOOST_REQUIRE(provider->wait_seen(2));
  std::thread stopping{[&] { staff->stop(std::chrono::milliseconds{10'000}); }};
  wait_until("what had no permit is back", [&] { return count_of(state::pending) == 8; });
  BOOST_TEST((staff->submit(order_shipped("late")).error() == errc::stopping));
  provider->release(says(verdict::accepted));
  stopping.join();
  BOOST_TEST(count_of(state::provider_accepted) == 2);
  BOOST_TEST(count_of(state::leased) == 0);
  BOOST_TEST(provider->count() == 2);
}

BOOST_FIXTURE_TEST_CASE(an_opt_out_stops_what_waits_behind_a_slow_provider_P5_S37, running_office) {
  provider->how = [](const auto&, int) { return answer{true, {}}; };
  provider->sends_max = 1;
  open();
  for (int i = 0; i < 20; ++i)
    submit("o-" + std::to_string(i));
  BOOST_REQUIRE(provider->wait_seen(1));
  const auto stops = storage::put_preferences(db, acme, ana, {{"", {{channel::email, false}}}});
  BOOST_REQUIRE(stops);
  const auto in_flight = std::count_if(stops->begin(), stops->end(),
                                       [](const auto& one) { return one.came_to == "in_flight"; });
  BOOST_TEST(stops->size() == 20);
  BOOST_TEST(in_flight == 1);
  provider->release(says(verdict::accepted));
  wait_until("the one in flight is accepted",
             [&] { return count_of(state::provider_accepted) == 1; });
  BOOST_TEST(count_of(state::suppressed) == 19);
  BOOST_TEST(provider->count() == 1);
}

BOOST_FIXTURE_TEST_CASE(two_offices_share_one_database_and_send_once, running_office) {
  open();
  office second{rules, all_through(std::make_shared<scripted_port>(provider)),
                std::make_shared<prometheus::Registry>(), [] {}};
  for (int i = 0; i < 200; ++i) {
    auto asked = order_shipped("o-" + std::to_string(i));
    BOOST_REQUIRE((i % 2 ? second : *staff).submit(asked));
  }
  wait_until("all are accepted", [&] { return count_of(state::provider_accepted) == 200; });
  BOOST_TEST(provider->count() == 200);
  second.stop(std::chrono::milliseconds{5'000});
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
