// What clients, users and operators do, and the outages around them.
#include "tests/simulation/world.hpp"

namespace arauto::simulation {

namespace {

using namespace std::chrono_literals;

const tenant_id tenants[] = {{"acme"}, {"bolt"}};
const user_id users[] = {{"ana"}, {"ben"}};
constexpr int tries_max = 8;

std::string meaning_of(const notification& asked) {
  return asked.user.text + asked.variables + asked.send_at + asked.expires_at;
}

} // namespace

// The seed's character: how much there is to do, and what goes wrong how often.
void world::choose_plan() {
  for (const auto& tenant : tenants)
    for (const auto& user : users)
      store_.put_person({tenant, user}, user.text + "@" + tenant.text + ".example");
  if (dice_.one_in(8)) poison_ = "ben@bolt.example";
  static constexpr std::uint64_t rates[] = {0, 0, 0, 100, 30, 10};
  for (auto& rate : call_rates_)
    rate = dice_.pick(rates);
  row_rate_ = dice_.pick(rates);
  for (auto* rate :
       {&provider_.rates.slow, &provider_.rates.lost_answer, &provider_.rates.lost_before,
        &provider_.rates.refused, &provider_.rates.refused_for_now, &provider_.rates.bad_address})
    *rate = dice_.pick(rates) / 10 * 3;
  static constexpr doubt_rule rules[] = {doubt_rule::resend, doubt_rule::wait, doubt_rule::hold};
  if (dice_.one_in(2))
    store_.templates[tenants[1]] = {true, {dice_.pick(rules), 3s, 1 + dice_.one_in(2)}};
  using deed = void (world::*)();
  std::vector<deed> plan;
  const auto some = [&](deed what, std::int64_t most) {
    for (auto i = dice_.between(0, most); i > 0; --i)
      plan.push_back(what);
  };
  plan.push_back(&world::submit_new);
  some(&world::submit_new, 6);
  some(&world::submit_again, 2);
  some(&world::accept_by_other_door, 2);
  some(&world::stray_hint, 2);
  some(&world::cancel, 2);
  some(&world::change_mind, 2);
  some(&world::hold_somebody, 3);
  some(&world::decide_as_person, 3);
  if (dice_.one_in(4)) some(&world::erase, 1);
  if (dice_.one_in(2)) some(&world::freeze_node, 3);
  if (dice_.one_in(2)) some(&world::kill_node, 2);
  if (dice_.one_in(2)) some(&world::crash_somebody, 4);
  if (dice_.one_in(3)) some(&world::database_outage, 2);
  if (dice_.one_in(3)) some(&world::provider_outage, 2);
  if (dice_.one_in(4)) plan.push_back(&world::stop_somebody);
  for (std::size_t i = plan.size(); i > 1; --i)
    std::swap(plan[i - 1], plan[static_cast<std::size_t>(dice_.below(i))]);
  for (const auto what : plan)
    plan_.push_back([this, what] { (this->*what)(); });
}

void world::stop_somebody() {
  auto* one = some_node();
  if (one == nullptr || one->now != node::condition::up || one->house->stopping) return;
  fault("orderly_stop");
  stop_node(*one, false);
  at(soon(5'000), [this] {
    if (stormy_) start_node();
  });
}

// -- accepting ---------------------------------------------------------------------------

void world::submit_new() {
  operation one;
  auto& asked = one.asked;
  asked.tenant = dice_.pick(tenants);
  asked.user = dice_.pick(users);
  asked.type = "order.shipped";
  asked.operation = {"op-" + std::to_string(operations_.size())};
  asked.urgency = dice_.one_in(4) ? priority::urgent : priority::normal;
  if (dice_.one_in(8)) asked.send_at = std::to_string(soon(10'000).count());
  if (dice_.one_in(6)) asked.expires_at = std::to_string(soon(12'000).count());
  operations_.push_back(one);
  submit(operations_.size() - 1);
}

// The same operation at another node, while it may still be open, sometimes with another meaning.
void world::submit_again() {
  if (operations_.empty()) return;
  const auto which = static_cast<std::size_t>(dice_.below(operations_.size()));
  if (dice_.one_in(3)) {
    auto other = operations_[which];
    other.asked.variables = R"({"order":"B-2"})";
    other.tries = 0;
    operations_.push_back(other);
    fault("operation_conflict");
    return submit(operations_.size() - 1);
  }
  fault("operation_again");
  submit(which);
}

void world::submit(std::size_t which) {
  auto& one = operations_[which];
  one.open = ++one.tries < tries_max;
  const auto question = one.newest = ++questions_;
  auto asked = one.asked;
  asked.id = {"event-" + std::to_string(++event_ids_)};
  auto* by = some_node();
  note("submit", asked.id.text);
  const auto give_up = now_ + 2 * rules_.accept_patience;
  at(give_up, [this, which, question] { answered(which, question, nullptr); });
  if (by == nullptr || !by->front) return;
  const auto ask = [this, which, question, asked, by](caf::event_based_actor* self,
                                                      const front_actor& front) {
    self->request(front, 2 * rules_.accept_patience, submit_notification{asked})
        .then(
            [this, which, question, by](const accept_answer& answer) {
              if (by->now != node::condition::gone) answered(which, question, &answer);
            },
            [this, which, question, by](const caf::error&) {
              if (by->now != node::condition::gone) answered(which, question, nullptr);
            });
  };
  by->system().spawn(ask, by->front);
}

// Without an answer the client asks again, with the same operation.
void world::answered(std::size_t which, std::uint64_t question, const accept_answer* answer) {
  auto& one = operations_[which];
  const bool in_progress = answer != nullptr && answer->verdict == acceptance::in_progress;
  if (answer != nullptr && !answer->id.text.empty()) {
    note("acknowledged", answer->id.text);
    oracle_.acknowledged(one.asked.tenant, one.asked.operation, answer->id, meaning_of(one.asked));
  }
  if (one.newest != question || !one.open) return;
  if (answer != nullptr && !in_progress) {
    one.open = false;
    return;
  }
  one.newest = ++questions_; // nobody asks twice for one silence
  at(soon(1'500), [this, which] {
    if (operations_[which].open) submit(which);
  });
}

// Committed by somebody who gives no hint: another door, or a node that died with its hints.
void world::accept_by_other_door() {
  if (database_away_) return;
  notification asked;
  asked.id = {"event-" + std::to_string(++event_ids_)};
  asked.tenant = dice_.pick(tenants);
  asked.user = dice_.pick(users);
  asked.type = "order.shipped";
  asked.operation = {"other-" + asked.id.text};
  const auto answers = store_.accept({asked}, {"other"}, rules_.lease);
  fault("hint_lost");
  note("other_door", asked.id.text);
  if (!answers[0].id.text.empty())
    oracle_.acknowledged(asked.tenant, asked.operation, asked.id, meaning_of(asked));
  oracle_.after_call("accept", now_);
}

// -- stopping ----------------------------------------------------------------------------

void world::cancel() {
  if (database_away_ || store_.events.empty()) return;
  auto event = store_.events.begin();
  std::advance(event, static_cast<std::ptrdiff_t>(dice_.below(store_.events.size())));
  note("cancel", event->first.text);
  const auto met = store_.stop_event(event->second.tenant, event->first, "cancelled");
  oracle_.after_call("cancel", now_);
  oracle_.stop_acknowledged(met, now_);
  fault("cancel");
}

// Two transactions; anything may happen between them, and only the second is answered.
void world::change_mind() {
  const store::person_key who{dice_.pick(tenants), dice_.pick(users)};
  if (database_away_) return;
  const bool allowed = dice_.one_in(3);
  if (!store_.write_preference(who, allowed)) return;
  note(allowed ? "opt_in" : "opt_out", who.second.text);
  fault(allowed ? "opt_in" : "opt_out");
  if (allowed) return oracle_.opted_in(who);
  plan_.push_front([this, who] {
    if (!store_.people.at(who).opted_out) return; // changed again meanwhile
    const auto met = store_.stop_user(who, "opted_out");
    note("opt_out_swept", who.second.text);
    oracle_.after_call("opt_out", now_);
    oracle_.stop_acknowledged(met, now_);
    oracle_.opt_out_acknowledged(who, now_);
  });
}

void world::erase() {
  const store::person_key who{dice_.pick(tenants), dice_.pick(users)};
  if (database_away_ || !store_.bury(who)) return;
  note("bury", who.second.text);
  fault("erasure");
  plan_.push_front([this, who] {
    const auto met = store_.stop_user(who, "erased");
    store_.erase_messages(who);
    note("erased", who.second.text);
    oracle_.after_call("erase", now_);
    oracle_.stop_acknowledged(met, now_);
  });
}

// A dead letter is tried again, a doubt is resolved or sent again though it is one.
void world::decide_as_person() {
  if (database_away_ || store_.deliveries.empty()) return;
  auto one = store_.deliveries.begin();
  std::advance(one, static_cast<std::ptrdiff_t>(dice_.below(store_.deliveries.size())));
  const auto& [key, row] = *one;
  if (row.now == state::in_doubt && dice_.one_in(2)) {
    const auto as =
        dice_.one_in(2) ? storage::resolution::accepted : storage::resolution::not_accepted;
    fault("resolve");
    note("resolve", key.event.text);
    store_.resolve(row.tenant, key, as, rules_.retry.attempts_max);
  } else {
    fault("replay");
    note("replay", key.event.text);
    store_.replay(row.tenant, key, dice_.one_in(2));
  }
  oracle_.after_call("person", now_);
}

// -- around them ---------------------------------------------------------------------------

void world::stray_hint() {
  auto* one = some_node();
  if (one == nullptr || one->house->stopping) return;
  fault("stray_hint");
  caf::anon_send(one->boss, work_ready{dice_.pick(tenants), channel::email});
}

void world::database_outage() {
  fault("database_outage");
  if (auto* one = some_node(); one != nullptr && dice_.one_in(2)) {
    cut_off_ = one->number();
    note("cut_off");
    return at(soon(12'000), [this] { cut_off_ = 0; });
  }
  database_away_ = true;
  note("database_away");
  at(soon(12'000), [this] {
    database_away_ = false;
    note("database_back");
  });
}

void world::provider_outage() {
  fault("provider_outage");
  static constexpr provider_mood moods[] = {provider_mood::unreachable, provider_mood::overloaded,
                                            provider_mood::refuses_account};
  provider_.mood = dice_.pick(moods);
  note("provider_outage");
  at(soon(10'000), [this] { provider_.mood = provider_mood::well; });
}

} // namespace arauto::simulation
