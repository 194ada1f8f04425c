#include "actors/courier.hpp"

#include "storage/log.hpp"

namespace arauto {

namespace {

using self_ptr = courier_actor::stateful_pointer<courier_memory>;
using steady = std::chrono::steady_clock;

courier_memory::holder holder_of(const storage::held_delivery& whose) {
  return {whose.key, whose.held.number};
}

std::size_t in_use(const courier_memory& s) {
  return s.granted.size() + s.open.size();
}

constexpr std::chrono::milliseconds tick{100};

// One timer at most, and only while a pause may end or a granted slot may have been forgotten.
void look_again(self_ptr self) {
  if (!std::exchange(self->state.tick_asked, true)) self->delayed_send(self, tick, retry_due{});
}

void grant(self_ptr self) {
  auto& s = self->state;
  const auto now = self->clock().now();
  const auto allowed = s.account.allowed(now, s.pace.slots(s.house->mail->sends_max()));
  while (in_use(s) < allowed) {
    auto next = s.queue.pop();
    if (!next) break;
    s.granted[holder_of(next->whose)] = now;
    next->asker.deliver(slot_granted{});
  }
  s.house->numbers.slots_waiting(s.queue.size());
  if (!s.granted.empty() || (s.queue.size() > 0 && s.account.allowed(now, 1) == 0))
    look_again(self);
}

caf::typed_response_promise<slot_granted> queue_up(self_ptr self, const want_slot& wanted) {
  auto& s = self->state;
  auto promise = self->make_response_promise<slot_granted>();
  s.queue.push(wanted.tenant, wanted.urgency, {wanted.whose, promise});
  grant(self);
  return promise;
}

// A delivery that needs its slot no more: refused by the permit, crashed, or giving its lease back.
void take_back(self_ptr self, const return_slot& back) {
  auto& s = self->state;
  if (s.granted.erase(holder_of(back.whose)) > 0) {
    grant(self);
    return;
  }
  s.queue.remove(back.tenant, [&](const courier_memory::waiter& one) {
    return one.whose.key == back.whose.key && one.whose.held == back.whose.held;
  });
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
  s.open[holder_of(what.whose)] = {promise, now};
  const auto me = caf::actor_cast<courier_actor>(self);
  s.house->mail->send(std::move(what.what), steady_moment(what.trusted_until),
                      [me, whose = what.whose](outcome said) {
                        caf::anon_send(me, attempt_answered{whose, std::move(said)});
                      });
  return promise;
}

void hear(self_ptr self, attempt_answered& answer) {
  auto& s = self->state;
  const bool was_paused = s.account.paused();
  s.account.heard(answer.what, self->clock().now(), self->state.house->chance());
  if (s.account.paused() != was_paused) {
    s.house->numbers.account_paused(s.account.paused());
    if (s.account.paused())
      log::warn("account_paused",
                {{"channel", "email"}, {"reason", answer.what.cause}, {"code", answer.what.code}});
    else
      log::info("account_resumed", {{"channel", "email"}});
  }
  const auto found = s.open.find(holder_of(answer.whose));
  if (found != s.open.end()) {
    s.pace.send_took(self->clock().now() - found->second.since);
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

} // namespace

courier_actor::behavior_type courier(self_ptr self, house_ptr house) {
  keep_exceptions_quiet(self);
  self->state.house = std::move(house);
  return {
      [self](const want_slot& w) { return queue_up(self, w); },
      [self](const return_slot& r) { take_back(self, r); },
      [self](send_message& m) { return send(self, m); },
      [self](attempt_answered& a) { hear(self, a); },
      [self](retry_due) { tidy_slots(self); },
  };
}

} // namespace arauto
