// The interleavings behind the exactness of stops, permits and late answers (P4, P5, P6), each with
// a twin: the same crossing with the guard taken out of the SQL breaks the promise. All of them at
// once, without PostgreSQL: tests/model_check.
#include <boost/test/unit_test.hpp>

#include <atomic>

#include "storage/sql/statements.hpp"
#include "tests/support/crossing.hpp"

namespace arauto::tests {

namespace {

namespace sql = storage::sql;
using storage::session;

const storage::preferences no_mail{{"", {{channel::email, false}}}};
const user_id ben{"ben"};

// -- a cancel meets a claim that has not committed, a permit waits for another row of the event ---

struct two_channels : crossing {
  two_channels() {
    storage::template_view words;
    words.type = "order.shipped";
    words.via = channel::push;
    words.parts = {{"title", "Order"}, {"body", "on its way"}};
    BOOST_REQUIRE(storage::put_template(db, acme, words));
    crossing::sql("insert into arauto.device (device_id, tenant_id, user_id, provider, app, token, "
                  "registered_at)"
                  " values ('phone', 'acme', 'ana', 'fcm', 'app', 'token', now())");
  }

  storage::lease claim_push_in(opened& claimer) {
    const auto rows = claimer.work.exec_params(
        sql::claim.text,
        R"([{"tenant_id": "acme", "channel": "push", "room": 1, "urgent_room": 1}])", node.text,
        lease_length.count());
    BOOST_REQUIRE_EQUAL(rows.size(), 1);
    storage::lease taken;
    taken.key = {{rows[0]["event_id"].c_str()}, channel::push};
    taken.held = {rows[0]["lease_token"].as<std::int64_t>()};
    taken.tenant = acme;
    return taken;
  }
};

// -- a permit of two rows waits for the first with an old snapshot; the second is opted out -------

struct two_people : crossing {
  two_people() {
    add_user(acme, ben, "ben@example.com");
    of_ana = accepted_event("ana");
    auto asked = order_shipped("ben");
    asked.user = ben;
    of_ben = accept_one(asked).id;
    leases = claim(2);
    BOOST_REQUIRE_EQUAL(leases.size(), 2);
    if (leases[0].key.event.text != of_ana.text) std::swap(leases[0], leases[1]);
  }

  event_id of_ana;
  event_id of_ben;
  std::vector<storage::lease> leases;
};

// -- two keepers, the same rows in opposite order ------------------------------------------------

struct keepers : crossing {
  std::atomic<int> settles{0}; // how often the statement ran, deadlocked transactions included

  auto settles_and_permits(const storage::lease& settled,
                           const std::vector<storage::lease>& permitted) {
    return std::async(std::launch::async, [this, settled, permitted] {
      auto counting = settings();
      counting.lock_timeout = counting.statement_timeout = std::chrono::minutes{2};
      counting.row_patience = counting.lock_timeout;
      counting.silence_timeout = std::chrono::minutes{3};
      counting.observed = [this](const char* name, auto, auto) {
        if (std::string{name} == "settle") ++settles;
      };
      session keeper{counting};
      storage::settlement late;
      late.key = settled.key;
      late.held = settled.held;
      late.tenant = settled.tenant;
      late.decided = {state::retry_wait, std::chrono::milliseconds{0}, false, "busy"};
      late.what.said = verdict::refused_for_now;
      std::vector<storage::permit_question> asked;
      for (const auto& one : permitted)
        asked.push_back(storage::may_begin(storage::as_held(one), {}));
      for (;;) { // as a keeper does: its victims may meet again
        auto made = storage::settle_and_permit(keeper, {late}, asked, lease_length);
        if (made || made.error() != errc::try_again) return made;
      }
    });
  }
};

storage::settlement accepted(const storage::lease& held) {
  storage::settlement what;
  what.key = held.key;
  what.held = held.held;
  what.tenant = held.tenant;
  what.decided = {state::provider_accepted, {}, false, {}};
  what.what.said = verdict::accepted;
  return what;
}

bool is_stale(const result<std::vector<storage::settled>>& answer) {
  return answer && !answer->at(0).ours && !answer->at(0).row_held;
}

} // namespace

BOOST_AUTO_TEST_SUITE(interleavings)

BOOST_FIXTURE_TEST_CASE(a_cancel_waits_for_a_claim_that_has_not_committed_and_stops_it_P5_S16,
                        two_channels) {
  const auto id = accepted_event("o-1");
  const auto mail = claim_by(channel::email);
  opened claimer{*this};
  const auto push = claim_push_in(claimer);
  auto cancelling = meanwhile([&](session& s) { return cancels(s, sql::stop_event, id); });
  until_waiting(1); // it has the mail's row and wants the other
  auto permitting = meanwhile([&](session& s) { return permits(s, sql::permit, {mail}); });
  until_waiting(2);
  claimer.work.commit();
  BOOST_TEST(cancelling.get() == "email:stopped push:stopped");
  BOOST_TEST(permitting.get() == "lost");
  BOOST_TEST(permits(db, sql::permit, {push}) == "lost");
}

BOOST_FIXTURE_TEST_CASE(twin_a_cancel_that_locks_only_what_waits_lets_an_attempt_begin,
                        two_channels) {
  const altered stop{sql::stop_event, "d.event_id = $2::uuid\n",
                     "d.event_id = $2::uuid and d.state in ('pending', 'retry_wait')\n"};
  const auto id = accepted_event("o-1");
  opened claimer{*this};
  const auto push = claim_push_in(claimer);
  auto cancelling = meanwhile([&](session& s) { return cancels(s, stop.made(), id); });
  until_waiting(1);
  claimer.work.commit();
  BOOST_TEST(cancelling.get() == "email:stopped"); // it no longer waited when it was read again
  BOOST_TEST(permits(db, sql::permit, {push}) == "leased");
}

BOOST_FIXTURE_TEST_CASE(a_permit_with_an_old_snapshot_meets_the_sweep_of_an_opt_out_P5_I11,
                        two_people) {
  opened holder{*this};
  holder.hold(of_ana);
  auto permitting = meanwhile([&](session& s) { return permits(s, sql::permit, leases); });
  until_waiting(1); // its snapshot still allows mail to ben
  const auto stops = storage::put_preferences(db, acme, ben, no_mail);
  BOOST_REQUIRE(stops && stops->size() == 1);
  BOOST_TEST(stops->at(0).came_to == "stopped");
  holder.work.commit();
  BOOST_TEST(permitting.get() == "leased lost");
  BOOST_TEST(to_string(state_of(of_ben)) == "suppressed");
}

BOOST_FIXTURE_TEST_CASE(twin_without_the_sweep_the_old_snapshot_gives_its_permit, two_people) {
  const altered sweep{sql::stop_user, "where $3 = 'erased' or not consent.allowed", "where false"};
  opened holder{*this};
  holder.hold(of_ana);
  auto permitting = meanwhile([&](session& s) { return permits(s, sql::permit, leases); });
  until_waiting(1);
  crossing::sql("insert into arauto.preference values ('acme', 'ben', 'email', '', false)");
  BOOST_REQUIRE(db.in_transaction(storage::reach::owner(), [&](session::transaction& t) {
    return t.run(sweep.made(), acme.text, ben.text, "opted_out").empty();
  }));
  holder.work.commit();
  BOOST_TEST(permitting.get() == "leased leased"); // the second one after the answer
}

BOOST_FIXTURE_TEST_CASE(a_permit_before_the_sweep_of_an_opt_out_is_listed_in_flight_P5,
                        two_people) {
  opened holder{*this};
  holder.hold(of_ben);
  auto permitting = meanwhile([&](session& s) { return permits(s, sql::permit, leases); });
  until_waiting(1);
  auto opting_out =
      meanwhile([&](session& s) { return storage::put_preferences(s, acme, ben, no_mail); });
  until_waiting(2); // the preference stands, the sweep waits behind the permit
  holder.work.commit();
  BOOST_TEST(permitting.get() == "leased leased");
  const auto stops = opting_out.get();
  BOOST_REQUIRE(stops && stops->size() == 1);
  BOOST_TEST(stops->at(0).came_to == "in_flight");
}

BOOST_FIXTURE_TEST_CASE(a_late_acceptance_that_is_first_spares_the_resend_P4_P6, crossing) {
  const auto late = lost_in_flight("o-1");
  const auto newer = claim_one();
  opened holder{*this};
  holder.hold(late.key.event);
  auto telling = meanwhile([&](session& s) { return storage::settle(s, {accepted(late)}); });
  until_waiting(1);
  auto permitting = meanwhile([&](session& s) { return permits(s, sql::permit, {newer}); });
  until_waiting(2);
  holder.work.commit();
  BOOST_TEST(is_stale(telling.get()));
  BOOST_TEST(permitting.get() == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(twin_a_permit_that_does_not_read_the_evidence_sends_what_is_known_there,
                        crossing) {
  const altered blind{sql::permit, "when h.accepted_at is not null then 'provider_accepted'",
                      "when false then 'provider_accepted'"};
  const auto late = lost_in_flight("o-1");
  const auto newer = claim_one();
  settle_accepted(late);
  BOOST_TEST(permits(db, blind.made(), {newer}) == "leased");
}

BOOST_FIXTURE_TEST_CASE(a_late_acceptance_that_comes_second_moves_nothing_and_is_not_forgotten_P4,
                        crossing) {
  const auto late = lost_in_flight("o-1");
  const auto newer = claim_one();
  opened holder{*this};
  holder.hold(late.key.event);
  auto permitting = meanwhile([&](session& s) { return permits(s, sql::permit, {newer}); });
  until_waiting(1);
  auto telling = meanwhile([&](session& s) { return storage::settle(s, {accepted(late)}); });
  until_waiting(2);
  holder.work.commit();
  BOOST_TEST(permitting.get() == "leased");
  BOOST_TEST(is_stale(telling.get()));
  BOOST_TEST(to_string(state_of(late.key.event)) == "leased");
  const auto end = settle_one(newer, verdict::unknown, {state::in_doubt, {}, true, "lost_answer"});
  BOOST_TEST(to_string(end.now) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(two_keepers_that_lock_crosswise_lose_nothing_the_victim_asks_again_P3_S21,
                        keepers) {
  accepted_event("gate"); // sorts before the others: ids grow with time
  const auto gate = claim_one();
  const auto a = lost_in_flight("a");
  const auto a_again = claim_one();
  const auto b = lost_in_flight("b");
  const auto b_again = claim_one();
  opened holder{*this};
  holder.hold(gate.key.event);
  auto one = settles_and_permits(b, {gate, a_again});
  until_waiting(1); // it has b, will want a, and waits at the gate
  auto other = settles_and_permits(a, {b_again});
  until_waiting(2); // it has a and wants b
  holder.work.commit();
  const auto one_answer = one.get();
  const auto other_answer = other.get();
  BOOST_REQUIRE_MESSAGE(one_answer && other_answer,
                        one_answer.why().text + " " + other_answer.why().text);
  BOOST_TEST(settles >= 3); // one of them was the victim of the deadlock, and ran again
  for (const auto& answer : {*one_answer, *other_answer}) {
    BOOST_TEST(!answer.settlements.at(0).ours);
    for (const auto& permit : answer.permits) {
      BOOST_TEST(permit.still_ours);
      BOOST_TEST(to_string(permit.now) == "leased");
    }
  }
  BOOST_TEST(value("select count(*) from arauto.attempt where late") == "2");
  BOOST_TEST(value("select count(*) from arauto.delivery where begun_at is not null") == "3");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
