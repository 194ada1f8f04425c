#include "actors/delivery.hpp"

#include <algorithm>

#include "actors/delivery_facts.hpp"
#include "actors/release.hpp"
#include "storage/model/rendering.hpp"
#include "storage/model/targets.hpp"

namespace arauto {

namespace {

using self_ptr = delivery_actor::stateful_pointer<delivery_memory>;
using step = delivery_memory::step;

constexpr int suspect_from = 2; // as the indexes delivery_due and delivery_suspect
constexpr std::chrono::milliseconds look_again_after{100};
// No permit told how many there were; a person has to act, so it waits as after some.
constexpr int deferrals_without_account = 3;

storage::held_delivery whose(const delivery_memory& s) {
  return storage::as_held(s.held);
}

// All that were asked for, but for the one that is used.
void give_slots_back(self_ptr self, const door_ptr& used) {
  auto& s = self->state;
  for (const auto& one : std::exchange(s.asked, {}))
    if (one != used) tell(self, one->courier, return_slot{s.held.tenant, whose(s)});
}

void give_slot_back(self_ptr self) {
  auto& s = self->state;
  give_slots_back(self, nullptr);
  if (const auto door = std::exchange(s.door, nullptr))
    tell(self, door->courier, return_slot{s.held.tenant, whose(s)});
}

void ended(self_ptr self, const storage::settlement& what, const storage::settled& answer) {
  auto& s = self->state;
  if (answer.ours)
    s.house->numbers.settled(answer.now);
  else
    s.house->numbers.stale_settlement();
  log_settled(s, what, answer);
  self->quit();
}

// True for the answer to the newest question only.
auto next_question(self_ptr self) {
  return [self, number = ++self->state.question] { return self->state.question == number; };
}

// Whom we asked is gone; its successor will be introduced. When nobody does that in time, our
// dispatcher is gone too, and the lease's end decides.
void wait_for_successor(self_ptr self) {
  auto& s = self->state;
  if (s.house->stopping) return self->quit();
  s.deserted_at = s.question;
  self->delayed_send(self, s.house->settings.lease / 3, retry_due{});
}

void settle(self_ptr self, storage::settlement what) {
  auto& s = self->state;
  s.at = step::settling;
  s.settlement = std::move(what);
  const auto newest = next_question(self);
  self->request(s.keeper, caf::infinite, settle_attempt{s.settlement})
      .then(
          [self, newest](const storage::settled& answer) {
            if (newest()) ended(self, self->state.settlement, answer);
          },
          [self, newest](const caf::error& why) {
            if (!newest()) return;
            if (is_gone(why)) return wait_for_successor(self);
            self->quit(); // the lease's end decides
          });
}

// What no permit was given for goes back to due, as if it had never been claimed.
void go_back(self_ptr self) {
  const auto& s = self->state;
  give_slot_back(self);
  settle(self, released(s.held));
}

void settle_outcome(self_ptr self, const outcome& said) {
  const auto& s = self->state;
  auto what = settlement_of(s, said, planned(s, said));
  if (said.said == verdict::bad_address) what.suppress_digest = s.facts.to_digest;
  s.house->numbers.attempted(said.said);
  settle(self, std::move(what));
}

// -- sending ---------------------------------------------------------------------

bool is_push(const delivery_memory& s) {
  return s.held.key.via == channel::push;
}

void settle_targets(self_ptr self) {
  auto& s = self->state;
  std::vector<target_result> all;
  std::vector<storage::target_told> targets;
  for (const auto& one : s.sends) {
    targets.push_back(told(s, one));
    all.push_back({*one.said, targets.back().decided});
    s.house->numbers.attempted(one.said->said);
  }
  const auto& doubt = s.facts.doubt.or_else(s.house->settings.doubt);
  auto what =
      settlement_of(s, outcome_of_targets(all), plan_of_targets(all, s.facts.others, doubt));
  what.targets = std::move(targets);
  settle(self, std::move(what));
}

// Every device has ended or moved away, or is due elsewhere: the others decide, and nothing was
// tried.
void settle_without_targets(self_ptr self) {
  auto& s = self->state;
  auto back = released(s.held);
  back.decided =
      plan_of_targets({}, s.facts.others, s.facts.doubt.or_else(s.house->settings.doubt));
  settle(self, std::move(back));
}

void answered(self_ptr self, std::size_t n, const outcome& said) {
  auto& s = self->state;
  auto& one = s.sends.at(n);
  if (one.said) return;
  one.said = said;
  if (--s.unanswered == 0) {
    if (!is_push(s)) return settle_outcome(self, said);
    return settle_targets(self);
  }
  // Written down before the others have answered: if we die meanwhile, it is not sent again.
  tell(self, s.keeper, note_targets{{whose(s), {told(s, one)}}});
}

// The port may still speak for a courier that is gone, until our trust ends. Who settled before
// that would let go of the lease of what is yet to be sent.
void outlast_port(self_ptr self) {
  auto& s = self->state;
  next_question(self);
  s.deserted_at = s.question;
  const auto left = s.trusted_until - self->clock().now() + std::chrono::milliseconds{1};
  self->delayed_send(self, std::max(left, left.zero()), retry_due{});
}

void give_up_courier(self_ptr self) {
  auto& s = self->state;
  if (!(s.trusted_until < self->clock().now())) return;
  const auto lost = outcome_of(verdict::unknown, "courier_lost");
  for (std::size_t n = 0; n < s.sends.size() && s.at == step::sending; ++n)
    answered(self, n, lost);
}

void send_one(self_ptr self, std::size_t n, const std::vector<part>& parts) {
  auto& s = self->state;
  auto composed = s.door->port->compose(message_for(s, parts, s.sends[n].target));
  if (!composed) {
    const bool too_large = composed.why().text == "too_large";
    return answered(self, n,
                    outcome_of(verdict::refused, too_large ? "too_large" : "not_composable"));
  }
  s.asked_to_send = true;
  self->request(s.door->courier, caf::infinite,
                send_message{whose(s), std::move(*composed), since_epoch(s.trusted_until)})
      .then(
          [self, n, asked = s.question](const outcome& said) {
            if (self->state.question == asked) answered(self, n, said);
          },
          [self, asked = s.question](const caf::error&) {
            if (self->state.question == asked) outlast_port(self);
          });
}

void send(self_ptr self) {
  auto& s = self->state;
  if (is_push(s) && s.facts.targets.empty()) {
    give_slot_back(self);
    return settle_without_targets(self);
  }
  s.at = step::sending;
  next_question(self);
  if (is_push(s))
    for (const auto& target : s.facts.targets)
      s.sends.push_back({target, {}});
  else
    s.sends.push_back({});
  s.unanswered = s.sends.size();
  const auto parts = render(s.facts.parts, s.facts.variables);
  for (std::size_t n = 0; n < s.sends.size(); ++n)
    if (parts)
      send_one(self, n, *parts);
    else
      answered(self, n, outcome_of(verdict::refused, "not_renderable"));
  if (!s.asked_to_send) give_slot_back(self);
}

void permit_answered(self_ptr self, storage::permit& permit) {
  auto& s = self->state;
  if (!permit.still_ours || permit.now != state::leased) {
    if (permit.still_ours) s.house->numbers.settled(permit.now);
    give_slot_back(self);
    return self->quit();
  }
  s.facts = std::move(permit.facts);
  if (s.held.lost_leases >= suspect_from) tell(self, s.dispatcher, attempt_begun{whose(s)});
  send(self);
}

void ask_permit_now(self_ptr self) {
  auto& s = self->state;
  s.at = step::asking_permit;
  // Our trust is counted from before the question: the answer may have been on the way for long.
  s.trusted_until = self->clock().now() + s.house->settings.lease - s.house->settings.lease_margin;
  const auto newest = next_question(self);
  self->request(s.keeper, caf::infinite, ask_permit{storage::may_begin(whose(s), s.through)})
      .then(
          [self, newest](storage::permit& permit) {
            if (newest()) permit_answered(self, permit);
          },
          [self, newest](const caf::error& why) {
            if (!newest()) return;
            if (is_gone(why)) return wait_for_successor(self);
            // Nobody knows whether it was counted, but nothing was sent: the keeper waits the
            // outage out.
            go_back(self);
          });
}

// -- a slot ------------------------------------------------------------------------

void look_for_slots(self_ptr self);

void look_again_soon(self_ptr self) {
  auto& s = self->state;
  if (s.house->stopping) return go_back(self);
  s.deserted_at = s.question;
  self->delayed_send(self, look_again_after, retry_due{});
}

// The first slot is taken: an attempt goes through one account, and the devices of others wait for
// their own.
void slot_given(self_ptr self, const door_ptr& door, const outlet& through) {
  auto& s = self->state;
  s.door = door;
  s.through = through;
  give_slots_back(self, door);
  ask_permit_now(self);
}

// Once at each courier, though several outlets may lead there: it knows its slots by delivery.
void want_slot_at(self_ptr self, const door_ptr& door, const outlet& through) {
  auto& s = self->state;
  if (std::count(s.asked.begin(), s.asked.end(), door) > 0) return;
  s.asked.push_back(door);
  self->request(door->courier, caf::infinite, want_slot{s.held.tenant, whose(s), s.held.urgency})
      .then(
          [self, door, through, asked = s.question](slot_granted) {
            if (self->state.question == asked) slot_given(self, door, through);
          },
          [self, asked = s.question](const caf::error&) { // it is gone, or stands down
            if (self->state.question == asked) look_again_soon(self);
          });
}

// Without an account nothing can leave: a deferral, until there is one.
void no_way_out(self_ptr self, const caf::error& why) {
  auto& s = self->state;
  if (++s.closed_outlets < s.held.outlets.size()) return;
  const bool none = why == errc::not_found;
  s.facts.deferrals = deferrals_without_account;
  settle_outcome(self, outcome_of(verdict::not_begun, none ? "no_account" : "account_unusable"));
}

void open_account(self_ptr self, const outlet& through) {
  const auto& s = self->state;
  self->request(s.registrar, caf::infinite, want_courier{s.held.tenant, through})
      .then(
          [self, through, asked = s.question](courier_ready) {
            auto& s = self->state;
            if (s.question != asked) return;
            const auto door = s.house->accounts.door_of(s.held.tenant, through);
            if (!door) return look_again_soon(self); // closed again, a moment ago
            want_slot_at(self, door, through);
          },
          [self, asked = s.question](const caf::error& why) {
            if (self->state.question != asked) return;
            const bool final = why == errc::not_found || why == errc::bad_input;
            if (final) return no_way_out(self, why);
            look_again_soon(self);
          });
}

// At the courier of every account it may leave through. With no outlet at all (a push whose
// devices are gone) the permit says so.
void look_for_slots(self_ptr self) {
  auto& s = self->state;
  s.at = step::waiting_for_slot;
  next_question(self);
  give_slots_back(self, nullptr);
  s.closed_outlets = 0;
  if (s.held.outlets.empty()) return ask_permit_now(self);
  const auto asked = s.question;
  for (const auto& one : s.held.outlets) {
    if (s.question != asked) return; // the first gave a slot at once
    if (const auto door = s.house->accounts.door_of(s.held.tenant, one))
      want_slot_at(self, door, one);
    else
      open_account(self, one);
  }
}

void meet(self_ptr self, const meet_colleagues& them) {
  auto& s = self->state;
  const bool other_keeper = s.keeper != them.keeper;
  const bool other_registrar = s.registrar != them.registrar;
  s.keeper = them.keeper;
  s.registrar = them.registrar;
  if (other_registrar && s.at == step::waiting_for_slot) look_for_slots(self);
  if (!other_keeper) return;
  if (s.at == step::asking_permit) go_back(self);
  if (s.at == step::settling) settle(self, s.settlement); // our own success is found there again
}

void courier_is_lost(self_ptr self, const courier_lost& lost) {
  auto& s = self->state;
  const auto its = [&](const door_ptr& one) {
    return one && one->place.id == lost.account && s.house->accounts.door_of(lost.account) != one;
  };
  if (s.at == step::waiting_for_slot && std::any_of(s.asked.begin(), s.asked.end(), its))
    look_for_slots(self);
  if (s.at == step::sending && its(s.door)) outlast_port(self);
}

// The reason tells the dispatcher whether the provider can have heard of it.
errc reason_of_crash(const delivery_memory& s) {
  return s.asked_to_send ? errc::crashed_in_send : errc::crashed_before_send;
}

} // namespace

delivery_actor::behavior_type delivery(self_ptr self, house_ptr house, storage::lease held,
                                       keeper_actor keeper, registrar_actor registrar,
                                       dispatcher_actor dispatcher) {
  auto& s = self->state;
  s.house = std::move(house);
  s.held = std::move(held);
  s.keeper = std::move(keeper);
  s.registrar = std::move(registrar);
  s.dispatcher = std::move(dispatcher);
  self->set_exception_handler(
      [self](std::exception_ptr&) { return caf::make_error(reason_of_crash(self->state)); });
  if (!is_push(s)) s.held.outlets = {outlet{}}; // mails have but one way
  look_for_slots(self);
  return {
      [self](give_back) {
        if (self->state.at == step::waiting_for_slot) go_back(self);
      },
      [self](const meet_colleagues& them) { meet(self, them); },
      [self](const courier_lost& lost) { courier_is_lost(self, lost); },
      [self](retry_due) {
        const auto& s = self->state;
        if (s.deserted_at != s.question) return;
        if (s.at == step::sending)
          give_up_courier(self);
        else if (s.at == step::waiting_for_slot)
          look_for_slots(self);
        else
          self->quit();
      },
  };
}

} // namespace arauto
