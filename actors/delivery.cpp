#include "actors/delivery.hpp"

#include "storage/log.hpp"
#include "storage/model/rendering.hpp"

namespace arauto {

namespace {

using self_ptr = delivery_actor::stateful_pointer<delivery_memory>;
using step = delivery_memory::step;

constexpr int suspect_from = 2; // as the indexes delivery_due and delivery_suspect

storage::held_delivery whose(const delivery_memory& s) {
  return {s.held.key, s.held.held};
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

void settle(self_ptr self, storage::settlement what) {
  auto& s = self->state;
  s.at = step::settling;
  what.key = s.held.key;
  what.held = s.held.held;
  self->request(s.keeper, caf::infinite, settle_attempt{what})
      .then([self, what](const storage::settled& answer) { ended(self, what, answer); },
            [self](const caf::error&) { self->quit(); }); // the lease's end decides
}

// What no permit was given for goes back to due, as if it had never been claimed.
void go_back(self_ptr self) {
  storage::settlement back;
  back.decided = {state::pending, std::chrono::milliseconds{0}, false, {}};
  back.what.said = verdict::not_begun;
  back.attempted = false;
  back.given_back = true;
  give_slot_back(self);
  settle(self, std::move(back));
}

void settle_outcome(self_ptr self, const outcome& said) {
  auto& s = self->state;
  const auto& rules = s.house->settings;
  const bool nothing_reached_them =
      said.said == verdict::not_begun || said.said == verdict::account_refused;
  storage::settlement what;
  what.what = said;
  what.decided = plan_after(said, s.facts.attempts, s.facts.deferrals, s.facts.doubts,
                            rules.retry, s.facts.doubt.or_else(rules.doubt), self->state.house->chance());
  what.attempted = !nothing_reached_them;
  what.given_back = nothing_reached_them;
  what.deferred = nothing_reached_them;
  if (said.said == verdict::bad_address) what.suppress_digest = s.facts.to_digest;
  s.house->numbers.attempted(said.said);
  settle(self, std::move(what));
}

outcome refused(const char* cause) {
  outcome said;
  said.said = verdict::refused;
  said.cause = cause;
  return said;
}

void send(self_ptr self) {
  auto& s = self->state;
  auto parts = render(s.facts.parts, s.facts.variables);
  if (!parts) {
    give_slot_back(self);
    return settle_outcome(self, refused("not_renderable"));
  }
  const message what{s.facts.key,         s.facts.to_address,
                     s.facts.to_name,     s.facts.sender_address,
                     s.facts.sender_name, std::move(*parts)};
  auto composed = s.house->mail->compose(what);
  if (!composed) {
    give_slot_back(self);
    return settle_outcome(self, refused("not_composable"));
  }
  s.at = step::sending;
  self->request(s.courier, caf::infinite,
                send_message{whose(s), std::move(*composed), since_epoch(s.trusted_until)})
      .then([self](const outcome& said) { settle_outcome(self, said); },
            [self](const caf::error&) {
              self->quit();
            }); // the courier died with our words: the reaper calls it doubt
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

void slot_given(self_ptr self) {
  auto& s = self->state;
  if (s.going_back) return;
  s.at = step::asking_permit;
  // Our trust is counted from before the question: the answer may have been on the way for long.
  s.trusted_until = self->clock().now() + s.house->settings.lease - s.house->settings.lease_margin;
  self->request(s.keeper, caf::infinite, ask_permit{whose(s)})
      .then([self](storage::permit& permit) { permit_answered(self, permit); },
            // Nobody knows whether it was counted, but nothing was sent: the keeper waits the
            // outage out.
            [self](const caf::error&) { go_back(self); });
}

void want_slot_now(self_ptr self) {
  auto& s = self->state;
  self->request(s.courier, caf::infinite, want_slot{s.held.tenant, whose(s), s.held.urgency})
      .then([self](slot_granted) { slot_given(self); },
            [self](const caf::error&) { self->quit(); });
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
  // The reason tells the dispatcher whether the provider can have heard of it.
  self->set_exception_handler([self](std::exception_ptr&) {
    return caf::make_error(self->state.at == step::sending || self->state.at == step::settling
                               ? errc::crashed_in_send
                               : errc::crashed_before_send);
  });
  want_slot_now(self);
  return {
      [self](give_back) {
        if (self->state.at != step::waiting_for_slot || std::exchange(self->state.going_back, true))
          return;
        go_back(self);
      },
  };
}

} // namespace arauto
