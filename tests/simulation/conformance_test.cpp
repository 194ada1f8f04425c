// The simulated store is what storage/sql says it is: the same rows of random questions are asked
// of both, every answer and every row is compared. Times are compared as due, later or held, and
// moved by hand.
#include <boost/test/unit_test.hpp>

#include <cstdio>

#include "storage/dead_letters.hpp"
#include "storage/model/plan.hpp"
#include "tests/simulation/twin_rows.hpp"

namespace arauto::tests {

namespace {

const user_id people[] = {{"ana"}, {"ben"}, {"nobody"}};
const retry_policy slow_retry{4h, 8h, 3};
constexpr auto far_away = 30 * 24h;
constexpr std::uint64_t seeds = 30;
constexpr int questions = 300;

struct twins : twin_rows {
  using twin_rows::twin_rows;

  void keep(const std::vector<storage::lease>& leases) {
    for (const auto& one : leases)
      tokens.push_back(storage::as_held(one));
  }

  // The same question for both: times are text of two kinds.
  struct asked_of_both {
    notification real, simulated;
  };
  std::vector<asked_of_both> asked_before;

  asked_of_both new_notification() {
    asked_of_both made;
    auto& asked = made.real;
    asked.tenant = acme;
    asked.user = chance.one_in(8) ? user_id{"nobody"} : people[chance.below(2)];
    asked.type = "order.shipped";
    asked.variables = R"({"order":"A-1"})";
    asked.operation = {"op-" + std::to_string(asked_before.size())};
    asked.urgency = chance.one_in(3) ? priority::urgent : priority::normal;
    if (chance.one_in(2)) asked.lease_at_once = {channel::email};
    made.simulated = asked;
    const auto when = chance.below(8);
    if (when == 0) {
      asked.send_at = "2199-01-01T00:00:00Z";
      made.simulated.send_at = std::to_string((now + far_away).count());
    } else if (when < 5) {
      asked.expires_at = when == 1 ? "2001-01-01T00:00:00Z" : "2199-01-01T00:00:00Z";
      made.simulated.expires_at = std::to_string(when == 1 ? 1 : (now + far_away).count());
    }
    asked_before.push_back(made);
    return made;
  }

  asked_of_both some_notification() {
    if (asked_before.empty() || !chance.one_in(4)) return new_notification();
    auto again = chance.pick(asked_before);
    if (chance.one_in(3)) again.real.variables = again.simulated.variables = R"({"order":"B-2"})";
    return again;
  }

  void accept() {
    auto [asked, simulated] = some_notification();
    char id[40];
    std::snprintf(id, sizeof id, "00000000-0000-7000-8000-%012d", static_cast<int>(events.size()));
    asked.id = simulated.id = {id};
    const auto of = [](const accept_answer& one) {
      return std::string{spelled(one.verdict)} + ' ' + one.id.text + ' '
             + (one.deliveries.empty() ? "" : to_string(one.deliveries[0].now));
    };
    const auto real = expected(storage::accept(db, {asked}, node, 1h));
    const auto mine = rows.accept({simulated}, node, 1h);
    same("accept", of(real.at(0)), of(mine.at(0)));
    ++accepted[(mine.at(0).verdict == acceptance::expired ? "refused: " : "")
               + std::string{spelled(mine.at(0).verdict)}];
    events.push_back(asked.id);
    if (mine[0].verdict == acceptance::created && mine[0].deliveries[0].now == state::leased)
      tokens.push_back({{asked.id, channel::email}, {1}, asked.tenant});
  }

  void claim() {
    const int room = static_cast<int>(chance.between(1, 4));
    const std::vector<storage::room> wanted{
        {acme, channel::email, room, static_cast<int>(chance.between(0, room))}};
    const auto mine = rows.claim(wanted, node, 1h);
    same("claim", of_leases(expected(storage::claim(db, wanted, node, 1h))), of_leases(mine));
    keep(mine);
  }

  void claim_suspect() {
    const auto real = expected(storage::claim_suspect(db, {channel::email}, node, 1h));
    const auto mine = rows.claim_suspect(node, 1h);
    const auto list = [](const std::optional<storage::lease>& one) {
      return one ? std::vector<storage::lease>{*one} : std::vector<storage::lease>{};
    };
    same("claim_suspect", of_leases(list(real)), of_leases(list(mine)));
    keep(list(mine));
  }

  // A row of that kind; none: nullptr.
  template <class Kind>
  simulation::delivery_row* some_row(const Kind& wanted) {
    std::vector<simulation::delivery_row*> all;
    for (auto& [key, row] : rows.deliveries)
      if (wanted(row)) all.push_back(&row);
    return all.empty() ? nullptr : chance.pick(all);
  }

  static bool is_leased(const simulation::delivery_row& row) { return row.now == state::leased; }

  // One or two different deliveries: what is leased now, or any lease that ever was, under the
  // newest token mostly.
  std::vector<storage::held_delivery> some_tokens() {
    std::map<delivery_key, storage::held_delivery> some;
    if (const auto* row = some_row(is_leased); row != nullptr && chance.one_in(2))
      some[row->key] = {row->key, {row->token}, row->tenant};
    for (auto i = chance.between(1, 2); i > 0 && !tokens.empty() && some.size() < 2; --i) {
      auto one = chance.pick(tokens);
      if (!chance.one_in(3)) one.held.number = rows.deliveries.at(one.key).token;
      some[one.key] = one;
    }
    std::vector<storage::held_delivery> list;
    for (const auto& [key, one] : some)
      list.push_back(one);
    return list;
  }

  std::vector<storage::settlement> some_settlements() {
    std::vector<storage::settlement> all;
    for (const auto& one : some_tokens()) {
      const auto& row = rows.deliveries.at(one.key);
      storage::settlement what;
      what.key = one.key;
      what.held = one.held;
      what.tenant = one.tenant;
      if (const auto kind = chance.below(8); kind == 0) { // back to due, as it was
        what.decided = {state::pending, 0ms, false, {}, 0ms};
        what.what.said = verdict::not_begun;
        what.attempted = false;
        what.given_back = true;
      } else if (kind == 1) { // a worker died
        what.attempted = false;
        what.given_back = what.lost = true;
        what.decided = plan_after_crash(row.lost_leases, 4, slow_retry);
      } else {
        static constexpr verdict all_said[] = {verdict::accepted,  verdict::refused_for_now,
                                               verdict::refused,   verdict::bad_address,
                                               verdict::not_begun, verdict::unknown};
        static const doubt_policy policies[] = {
            {doubt_rule::resend, 4h, 2}, {doubt_rule::wait, 4h, 1}, {doubt_rule::hold, 4h, 1}};
        what.what.said = chance.pick(all_said);
        what.what.code = static_cast<int>(chance.between(200, 599));
        what.what.cause = what.what.said == verdict::accepted ? "" : "why";
        if (what.what.said == verdict::accepted) what.what.provider_ref = "ref";
        what.decided =
            plan_after(what.what, std::max(1, row.attempts - row.attempts_before), row.deferrals,
                       row.doubts, slow_retry, chance.pick(policies), 0.5);
        what.attempted = what.what.said != verdict::not_begun;
        what.given_back = what.deferred = !what.attempted;
        if (what.what.said == verdict::bad_address && chance.one_in(3))
          what.suppress_digest = simulation::digest_of("ben@example.com");
      }
      all.push_back(what);
    }
    return all;
  }

  void permit() {
    const auto asked = some_tokens();
    std::vector<storage::permit_question> questions;
    for (const auto& one : asked)
      questions.push_back(storage::may_begin(one, {}));
    same("permit", of_permits(expected(storage::ask_permits(db, questions, 1h))),
         of_permits(rows.permit(asked, 1h)));
  }

  void settle() {
    const auto asked = some_settlements();
    for (const auto& one : asked)
      told += "   " + one.key.event.text.substr(30) + " token " + std::to_string(one.held.number)
              + ' ' + std::string{spelled(one.what.said)} + " -> " + to_string(one.decided.next)
              + '\n';
    same("settle", of_settled(expected(storage::settle(db, asked))),
         of_settled(rows.settle(asked)));
    if (!chance.one_in(4)) return; // a lost COMMIT: the same again
    same("settle again", of_settled(expected(storage::settle(db, asked))),
         of_settled(rows.settle(asked)));
  }

  void renew() {
    const auto asked = some_tokens();
    const auto of = [](const std::vector<storage::held_delivery>& lost) {
      std::string text;
      for (const auto& one : lost)
        text += one.key.event.text;
      return text;
    };
    same("renew", of(expected(storage::renew(db, asked, 1h))), of(rows.renew(asked, 1h)));
  }

  void reap() {
    static const doubt_policy policies[] = {
        {doubt_rule::resend, 4h, 2}, {doubt_rule::wait, 4h, 1}, {doubt_rule::hold, 4h, 1}};
    const storage::reap_rules rules{4, 3, chance.pick(policies)};
    same("reap", of_reaped(expected(storage::reap(db, rules, 100))),
         of_reaped(rows.reap(rules, 100)));
  }

  void give_up_waits() {
    same("give_up_waits", of_reaped(expected(storage::give_up_waits(db, 100))),
         of_reaped(rows.give_up_waits(100)));
  }

  void due_tenants() {
    same("due_tenants", std::to_string(expected(storage::due_tenants(db, {channel::email})).size()),
         std::to_string(rows.due_tenants().size()));
  }

  void cancel() {
    if (events.empty()) return;
    const auto& id = chance.pick(events);
    auto real = storage::cancel_event(db, acme, id);
    same("cancel", real ? of_stops(*real) : "", of_stops(rows.stop_event(acme, id, "cancelled")));
  }

  void change_mind() {
    const auto& who = chance.pick(people);
    const bool allowed = !chance.one_in(3);
    auto real = storage::put_preferences(db, acme, who, {{"", {{channel::email, allowed}}}});
    const bool there = rows.write_preference({acme, who}, allowed);
    same("change_mind", real ? of_stops(*real) : "",
         there ? of_stops(rows.stop_user({acme, who}, "opted_out")) : "");
  }

  void erase() {
    if (!chance.one_in(4)) return;
    const auto& who = chance.pick(people);
    auto real = storage::erase_recipient(db, acme, who);
    rows.bury({acme, who});
    const auto mine = of_stops(rows.stop_user({acme, who}, "erased"));
    rows.erase_messages({acme, who});
    same("erase", real ? of_stops(*real) : "", mine);
  }

  void put_person() {
    const auto& who = people[chance.below(2)];
    add_user(acme, who, who.text + "@example.com");
    rows.put_person({acme, who}, who.text + "@example.com");
  }

  void resolve() {
    if (tokens.empty()) return;
    const auto key = chance.pick(tokens).key;
    const auto as =
        chance.one_in(2) ? storage::resolution::accepted : storage::resolution::not_accepted;
    const auto of = [](const storage::resolved& one) {
      return word(one.taken, "taken") + word(one.changed, "changed") + to_string(one.now);
    };
    same("resolve", of(expected(storage::resolve(db, acme, key, as, 3))),
         of(rows.resolve(acme, key, as, 3).value()));
  }

  void replay() {
    if (tokens.empty()) return;
    const auto key = chance.pick(tokens).key;
    const bool even = chance.one_in(2);
    const auto of = [](const storage::replay_answer& one) {
      return std::to_string(static_cast<int>(one.verdict)) + ' ' + to_string(one.now);
    };
    same("replay", of(expected(storage::replay(db, acme, key, even))),
         of(rows.replay(acme, key, even).value()));
  }

  // -- time, by hand ---------------------------------------------------------------

  void lease_runs_out() {
    auto* leased = some_row(is_leased);
    if (leased == nullptr) return;
    auto& row = *leased;
    row.lease_until = now - 1s;
    sql("update arauto.delivery set lease_until = clock_timestamp() - interval '1 second'"
        " where event_id = '"
        + row.key.event.text + "'");
  }

  void time_comes() {
    auto* waiting = some_row([](const auto& one) { return !is_final(one.now) && !is_leased(one); });
    if (waiting == nullptr) return;
    auto& row = *waiting;
    const auto order = ++moved;
    const auto past = "clock_timestamp() - interval '10 hours' + interval '" + std::to_string(order)
                      + " ms' where event_id = '" + row.key.event.text + "'";
    if (row.next_attempt_at != never) {
      row.next_attempt_at = now - 10h + moment{1'000 * order};
      sql("update arauto.delivery set next_attempt_at = " + past);
    }
    if (row.gives_up_at) {
      row.gives_up_at = now - 10h;
      sql("update arauto.delivery set gives_up_at = " + past);
    }
  }

  // Only what has not expired is accepted; the permit meets it later.
  void event_expires() {
    if (events.empty()) return;
    const auto found = rows.events.find(chance.pick(events));
    if (found == rows.events.end() || !found->second.expires_at) return;
    found->second.expires_at = now - 10h;
    sql("update arauto.event set expires_at = clock_timestamp() - interval '10 hours'"
        " where id = '"
        + found->first.text + "'");
  }

  void ask() {
    struct question {
      int weight;
      const char* name;
      void (twins::*what)();
    };
    static constexpr question all[] = {{4, "accept", &twins::accept},
                                       {4, "claim", &twins::claim},
                                       {2, "claim_suspect", &twins::claim_suspect},
                                       {7, "permit", &twins::permit},
                                       {7, "settle", &twins::settle},
                                       {2, "renew", &twins::renew},
                                       {4, "reap", &twins::reap},
                                       {1, "give_up_waits", &twins::give_up_waits},
                                       {1, "due_tenants", &twins::due_tenants},
                                       {1, "cancel", &twins::cancel},
                                       {1, "change_mind", &twins::change_mind},
                                       {1, "erase", &twins::erase},
                                       {2, "put_person", &twins::put_person},
                                       {2, "resolve", &twins::resolve},
                                       {2, "replay", &twins::replay},
                                       {5, "lease_runs_out", &twins::lease_runs_out},
                                       {3, "event_expires", &twins::event_expires},
                                       {6, "time_comes", &twins::time_comes}};
    static const std::vector<const question*> urn = [] {
      std::vector<const question*> made;
      for (const auto& one : all)
        made.insert(made.end(), static_cast<std::size_t>(one.weight), &one);
      return made;
    }();
    if (!difference.empty()) return; // they went apart
    const auto& one = *chance.pick(urn);
    told += std::string{one.name} + '\n';
    now += 1ms;
    (this->*one.what)();
    now += 1ms;
    same(one.name, real_rows(), all_rows());
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(simulation_store)

BOOST_AUTO_TEST_CASE(the_simulated_store_answers_as_postgresql_does) {
  std::map<std::string, int> answers; // each kind must have been met
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    twins both{seed};
    for (int i = 0; i < questions; ++i)
      both.ask();
    BOOST_REQUIRE_MESSAGE(both.difference.empty(), both.difference);
    for (const auto& [key, row] : both.rows.deliveries)
      ++answers[to_string(row.now)];
    for (const auto& [verdict, times] : both.accepted)
      answers[verdict] += times;
  }
  for (const auto& [what, times] : answers)
    BOOST_TEST_MESSAGE(what << ' ' << times);
  for (const auto* met : {"pending", "leased", "in_doubt", "retry_wait", "provider_accepted",
                          "permanent_failure", "suppressed", "cancelled", "expired", "created",
                          "replayed", "conflict", "unknown_user", "refused: expired"})
    BOOST_TEST(answers[met] > 0, met);
}

// The comparison itself: a store without its fence is told apart.
BOOST_AUTO_TEST_CASE(a_store_that_believes_every_token_does_not) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    twins both{seed};
    both.rows.without_fence = true;
    for (int i = 0; i < questions; ++i)
      both.ask();
    if (!both.difference.empty()) return;
  }
  BOOST_ERROR("nobody noticed");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
