#include "actors/delivery.hpp"

#include <algorithm>

#include "actors/release.hpp"
#include "storage/log.hpp"
#include "storage/model/rendering.hpp"

namespace arauto {

namespace {

using self_ptr = delivery_actor::stateful_pointer<delivery_memory>;
using step = delivery_memory::step;

constexpr int suspect_from = 2; // as the indexes delivery_due and delivery_suspect

storage::held_delivery whose(const delivery_memory& s) {
  return storage::as_held(s.held);
}

void give_slot_back(self_ptr self) {
  const auto& s = self->state;
  tell(self, s.courier, return_slot{s.held.tenant, whose(s)});
}

void log_settled(const delivery_memory& s, const storage::settlement& what,
                 const storage::settled& answer) {
  log::info("attempt_settled", {{"tenant", s.held.tenant.text},
                                {"event_id", s.held.key.event.text},
                                {"channel", spelled(s.held.key.via)},
                                {"lease_token", s.held.held.number},
                                {"attempt", s.facts.attempts},
                                {"outcome", spelled(what.what.said)},
                                {"code", what.what.code},
                                {"state", spelled(answer.now)},
                                {"cause", what.decided.cause},
                                {"stale", answer.ours ? 0 : 1}});
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
  auto& s = self->state;
  const auto& rules = s.house->settings;
  const bool nothing_reached_them =
      said.said == verdict::not_begun || said.said == verdict::account_refused;
  storage::settlement what;
  what.key = s.held.key;
  what.held = s.held.held;
  what.tenant = s.held.tenant;
  what.what = said;
  what.decided = plan_after(said, s.facts.attempts, s.facts.deferrals, s.facts.doubts, rules.retry,
                            s.facts.doubt.or_else(rules.doubt), self->state.house->chance());
  what.attempted = !nothing_reached_them;
  what.given_back = nothing_reached_them;
  what.deferred = nothing_reached_them;
  if (said.said == verdict::bad_address) what.suppress_digest = s.facts.to_digest;
  s.house->numbers.attempted(said.said);
  settle(self, std::move(what));
}

outcome outcome_of(verdict said, const char* cause) {
  outcome what;
  what.said = said;
  what.cause = cause;
  return what;
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
  const auto& s = self->state;
  if (s.trusted_until < self->clock().now())
    settle_outcome(self, outcome_of(verdict::unknown, "courier_lost"));
}

void send(self_ptr self) {
  auto& s = self->state;
  auto parts = render(s.facts.parts, s.facts.variables);
  if (!parts) {
    give_slot_back(self);
    return settle_outcome(self, outcome_of(verdict::refused, "not_renderable"));
  }
  const message what{s.facts.key,         s.facts.to_address,
                     s.facts.to_name,     s.facts.sender_address,
                     s.facts.sender_name, std::move(*parts)};
  auto composed = s.house->mail->compose(what);
  if (!composed) {
    give_slot_back(self);
    return settle_outcome(self, outcome_of(verdict::refused, "not_composable"));
  }
  s.at = step::sending;
  const auto newest = next_question(self);
  self->request(s.courier, caf::infinite,
                send_message{whose(s), std::move(*composed), since_epoch(s.trusted_until)})
      .then(
          [self, newest](const outcome& said) {
            if (newest()) settle_outcome(self, said);
          },
          [self, newest](const caf::error&) {
            if (newest()) outlast_port(self);
          });
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
  self->request(s.keeper, caf::infinite, ask_permit{storage::may_begin(whose(s), {})})
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

void want_slot_now(self_ptr self) {
  auto& s = self->state;
  const auto newest = next_question(self);
  self->request(s.courier, caf::infinite, want_slot{s.held.tenant, whose(s), s.held.urgency})
      .then(
          [self, newest](slot_granted) {
            if (newest()) ask_permit_now(self);
          },
          [self, newest](const caf::error&) {
            if (newest()) wait_for_successor(self);
          });
}

void meet(self_ptr self, const meet_colleagues& them) {
  auto& s = self->state;
  const bool other_keeper = s.keeper != them.keeper;
  const bool other_courier = s.courier != them.courier;
  s.keeper = them.keeper;
  s.courier = them.courier;
  switch (s.at) {
  case step::waiting_for_slot:
    if (other_courier) want_slot_now(self);
    break;
  case step::asking_permit:
    if (other_keeper) go_back(self);
    break;
  case step::sending:
    if (other_courier) outlast_port(self);
    break;
  case step::settling:
    if (other_keeper) settle(self, s.settlement); // our own success is found there again
    break;
  }
}

// The reason tells the dispatcher whether the provider can have heard of it.
errc reason_of_crash(const delivery_memory& s) {
  const bool asked_to_send =
      s.at == step::sending || (s.at == step::settling && s.settlement.attempted);
  return asked_to_send ? errc::crashed_in_send : errc::crashed_before_send;
}

} // namespace

delivery_actor::behavior_type delivery(self_ptr self, house_ptr house, storage::lease held,
                                       keeper_actor keeper, courier_actor courier,
                                       dispatcher_actor dispatcher) {
  auto& s = self->state;
  s.house = std::move(house);
  s.held = std::move(held);
  s.keeper = std::move(keeper);
  s.courier = std::move(courier);
  s.dispatcher = std::move(dispatcher);
  self->set_exception_handler(
      [self](std::exception_ptr&) { return caf::make_error(reason_of_crash(self->state)); });
  want_slot_now(self);
  return {
      [self](give_back) {
        if (self->state.at == step::waiting_for_slot) go_back(self);
      },
      [self](const meet_colleagues& them) { meet(self, them); },
      [self](retry_due) {
        const auto& s = self->state;
        if (s.deserted_at != s.question) return;
        if (s.at == step::sending)
          give_up_courier(self);
        else
          self->quit();
      },
  };
}

void log_crash(const storage::lease& held, const caf::error& reason, std::size_t restarts) {
  log::error("actor_died", {{"actor", "delivery"},
                            {"tenant", held.tenant.text},
                            {"event_id", held.key.event.text},
                            {"channel", spelled(held.key.via)},
                            {"lease_token", held.held.number},
                            {"reason", reason == errc::crashed_in_send ? "crashed_in_send"
                                                                       : "crashed_before_send"},
                            {"restarts", restarts}});
}

} // namespace arauto
