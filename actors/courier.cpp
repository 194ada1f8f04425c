#include "actors/courier.hpp"

#include "storage/log.hpp"

namespace arauto {

namespace {

using self_ptr = courier_actor::stateful_pointer<courier_memory>;

courier_memory::holder holder_of(const storage::held_delivery& whose) {
  return {whose.key, whose.held.number};
}

std::size_t in_use(const courier_memory& s) {
  return s.granted.size() + s.open.size();
}

constexpr std::chrono::milliseconds tick{100};
constexpr std::chrono::seconds look_for_idleness{60};
constexpr int idle_rounds_max = 10;

// One timer at most, and only while a pause may end or a granted slot may have been forgotten.
void look_again(self_ptr self) {
  if (!std::exchange(self->state.tick_asked, true)) self->delayed_send(self, tick, retry_due{});
}

void count_waiting(courier_memory& s) {
  s.house->numbers.slots_waiting(static_cast<double>(s.queue.size())
                                 - static_cast<double>(s.counted_waiting));
  s.counted_waiting = s.queue.size();
}

void leave_if_done(self_ptr self) {
  const auto& s = self->state;
  if (s.standing_down && s.granted.empty() && s.open.empty()) self->quit();
}

void grant(self_ptr self) {
  auto& s = self->state;
  const auto now = self->clock().now();
  const auto allowed = s.account.allowed(now, s.pace.slots(s.port->sends_max()));
  while (in_use(s) < allowed) {
    auto next = s.queue.pop();
    if (!next) break;
    if (s.account.paused()) s.probe = holder_of(next->whose);
    s.granted[holder_of(next->whose)] = now;
    next->asker.deliver(slot_granted{});
  }
  count_waiting(s);
  const bool held_up = s.queue.size() > 0 && s.account.allowed(now, 1) == 0;
  if (!s.granted.empty() || held_up) look_again(self);
  leave_if_done(self);
}

caf::result<slot_granted> queue_up(self_ptr self, const want_slot& wanted) {
  auto& s = self->state;
  if (s.standing_down) return caf::make_error(errc::stopping);
  s.idle_rounds = 0;
  auto promise = self->make_response_promise<slot_granted>();
  s.queue.push(wanted.tenant, wanted.urgency, {wanted.whose, promise});
  grant(self);
  return promise;
}

// A delivery that needs its slot no more: another account was quicker, its permit was refused, it
// crashed, or gives its lease back.
void take_back(self_ptr self, const return_slot& back) {
  auto& s = self->state;
  if (s.granted.erase(holder_of(back.whose)) > 0) {
    grant(self);
    return;
  }
  s.queue.remove(back.tenant, [&](const courier_memory::waiter& one) {
    return one.whose.key == back.whose.key && one.whose.held == back.whose.held;
  });
  count_waiting(s);
}

caf::typed_response_promise<outcome> send(self_ptr self, send_message& what) {
  auto& s = self->state;
  auto promise = self->make_response_promise<outcome>();
  const auto now = self->clock().now();
  const auto granted = s.granted.find(holder_of(what.whose));
  if (granted != s.granted.end()) {
    s.pace.permit_took(now - granted->second);
    s.granted.erase(granted);
  }
  auto device = what.what.device_id;
  s.open[{holder_of(what.whose), device}] = {promise, now};
  const auto me = caf::actor_cast<courier_actor>(self);
  s.port->send(std::move(what.what), steady_moment(what.trusted_until),
               [me, whose = what.whose, device = std::move(device)](outcome said) {
                 caf::anon_send(me, attempt_answered{whose, device, std::move(said)});
               });
  return promise;
}

// In a wave of dead tokens the account is the likelier fault: its devices keep their tokens, and of
// a probe, whose delivery may have many of them, only the first answer is believed. An endpoint
// that says nothing of the account makes no wave either, or anybody could bring one about.
void doubt_dead_tokens(courier_memory& s, const attempt_answered& answer, outcome& said) {
  if (channel_of(s.place.of.via) != channel::push || said.only_this_target) return;
  if (!s.wave.heard(said.said)) return;
  if (s.account.paused() && s.probe == holder_of(answer.whose)) return s.probe.reset();
  said.said = verdict::account_refused;
  said.cause = "token_wave";
}

// What the breaker hears: in a wave a dead token is no proof that the account is in order.
outcome as_heard(const courier_memory& s, outcome said) {
  if (said.said == verdict::bad_address && s.wave.raging()) said.said = verdict::account_refused;
  return said;
}

void tell_pause(self_ptr self, const outcome& why) {
  auto& s = self->state;
  const bool paused = s.account.paused();
  const auto app = s.place.of.app;
  if (paused)
    log::warn("account_paused", {{"tenant", s.place.tenant.text},
                                 {"provider", spelled(s.place.of.via)},
                                 {"app", app},
                                 {"reason", why.cause},
                                 {"code", why.code}});
  else
    log::info(
        "account_resumed",
        {{"tenant", s.place.tenant.text}, {"provider", spelled(s.place.of.via)}, {"app", app}});
  tell(self, s.registrar, account_fares{s.place, paused ? why.cause : "", paused ? why.code : 0});
}

void hear(self_ptr self, attempt_answered& answer) {
  auto& s = self->state;
  const auto now = self->clock().now();
  const bool was_paused = s.account.paused();
  doubt_dead_tokens(s, answer, answer.what);
  s.account.heard(as_heard(s, answer.what), now, s.house->chance());
  if (s.account.paused() != was_paused) tell_pause(self, answer.what);
  const auto found = s.open.find({holder_of(answer.whose), answer.device_id});
  if (found != s.open.end()) {
    s.pace.send_took(now - found->second.since);
    found->second.asker.deliver(std::move(answer.what));
    s.open.erase(found);
  }
  grant(self);
}

// Slots that nobody used within a lease belonged to an actor that is gone.
void tidy_slots(self_ptr self) {
  auto& s = self->state;
  s.tick_asked = false;
  const auto oldest = self->clock().now() - s.house->settings.lease;
  for (auto one = s.granted.begin(); one != s.granted.end();)
    one = one->second < oldest ? s.granted.erase(one) : std::next(one);
  grant(self);
}

// Those who wait ask the registrar for the successor.
void stand_aside(self_ptr self) {
  auto& s = self->state;
  s.standing_down = true;
  while (auto next = s.queue.pop())
    next->asker.deliver(caf::make_error(errc::stopping));
  count_waiting(s);
  leave_if_done(self);
}

// An account nobody has used for long is closed here; the next message opens it again.
void leave_if_idle(self_ptr self) {
  auto& s = self->state;
  const bool idle = s.queue.size() == 0 && s.granted.empty() && s.open.empty();
  s.idle_rounds = idle && !s.account.paused() ? s.idle_rounds + 1 : 0;
  if (s.idle_rounds > idle_rounds_max) return stand_aside(self);
  self->delayed_send(self, look_for_idleness, poll_due{});
}

} // namespace

courier_actor::behavior_type courier(self_ptr self, house_ptr house, account_door door,
                                     registrar_actor registrar) {
  keep_exceptions_quiet(self);
  auto& s = self->state;
  s.house = std::move(house);
  s.name = "courier/" + door.name;
  s.place = std::move(door.place);
  s.port = std::move(door.port);
  s.registrar = std::move(registrar);
  self->delayed_send(self, look_for_idleness, poll_due{});
  return {
      [self](const want_slot& w) { return queue_up(self, w); },
      [self](const return_slot& r) { take_back(self, r); },
      [self](send_message& m) { return send(self, m); },
      [self](stand_down) { stand_aside(self); },
      [self](attempt_answered& a) { hear(self, a); },
      [self](retry_due) { tidy_slots(self); },
      [self](poll_due) { leave_if_idle(self); },
  };
}

} // namespace arauto
