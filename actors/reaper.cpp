#include "actors/reaper.hpp"

#include "actors/release.hpp"
#include "storage/log.hpp"

namespace arauto {

namespace {

using self_ptr = reaper_actor::stateful_pointer<reaper_memory>;

constexpr std::chrono::minutes forget_every{1};

const keeper_actor& my_keeper(self_ptr self) {
  return self->state.staff.work_keepers.back();
}

void note_end(house& house, const char* what, const storage::reaped& one) {
  house.numbers.settled(one.now);
  log::warn(what, {{"tenant", one.tenant.text},
                   {"event_id", one.key.event.text},
                   {"channel", spelled(one.key.via)},
                   {"lease_token", one.lost.number},
                   {"state", spelled(one.now)}});
}

void reap(self_ptr self) {
  auto& s = self->state;
  if (s.reaping || self->clock().now() < s.reap_not_before) return;
  s.reaping = true;
  self->request(my_keeper(self), caf::infinite, reap_leases{})
      .then(
          [self](const leases_reaped& got) {
            self->state.reaping = false;
            auto& house = *self->state.house;
            for (const auto& one : got.reaped)
              note_end(house, "lease_lost", one);
            for (const auto& one : got.given_up)
              note_end(house, "doubt_unconfirmed", one);
          },
          [self](const caf::error&) { self->state.reaping = false; });
}

void find(self_ptr self) {
  auto& s = self->state;
  if (s.finding || s.house->stopping) return;
  s.finding = true;
  self->request(my_keeper(self), caf::infinite, find_due{})
      .then(
          [self](const due_work& got) {
            self->state.finding = false;
            for (const auto& hint : got.hints)
              tell(self, self->state.supervisor, hint);
          },
          [self](const caf::error&) { self->state.finding = false; });
}

void suspect(self_ptr self);

void no_suspect_runs(self_ptr self) {
  auto& s = self->state;
  s.suspecting = false;
  if (s.stop_asker.pending()) s.stop_asker.deliver(drained{});
}

// Nobody ran it: that is not a lease lost.
void hand_back(self_ptr self, const storage::lease& held) {
  self->request(my_keeper(self), caf::infinite, settle_attempt{released(held)})
      .then([self](const storage::settled&) { no_suspect_runs(self); },
            [self](const caf::error&) { no_suspect_runs(self); });
}

void run_alone(self_ptr self, const storage::lease& held) {
  if (self->state.house->stopping) return hand_back(self, held);
  // At most a lease: its dispatcher may die with the answer.
  self->request(self->state.supervisor, self->state.house->settings.lease, run_suspect{held})
      .then(
          [self](suspect_cleared) {
            no_suspect_runs(self);
            suspect(self); // the next one at once, until there is none
          },
          [self, held](const caf::error& why) {
            if (why == errc::unavailable) return hand_back(self, held); // its branch is stopped
            no_suspect_runs(self);
          });
}

void suspect(self_ptr self) {
  auto& s = self->state;
  if (s.suspecting || s.house->stopping) return;
  s.suspecting = true;
  self->request(my_keeper(self), caf::infinite, claim_suspect{})
      .then(
          [self](const claimed& got) {
            if (got.leases.empty()) return no_suspect_runs(self);
            run_alone(self, got.leases.front());
          },
          [self](const caf::error&) { no_suspect_runs(self); });
}

// The house is stopping: no suspect is claimed any more; answered when none is on its way.
caf::result<drained> stop(self_ptr self) {
  auto& s = self->state;
  s.stop_asker = self->make_response_promise<drained>();
  auto promise = s.stop_asker;
  if (!s.suspecting) no_suspect_runs(self);
  return promise;
}

// Batch after batch, until one comes back short.
void forget(self_ptr self) {
  auto& s = self->state;
  if (s.forgetting || s.house->stopping || s.house->settings.retention_days == 0) return;
  s.forgetting = true;
  self->request(my_keeper(self), caf::infinite, forget_events{})
      .then(
          [self](const events_forgotten& got) {
            self->state.forgetting = false;
            if (got.full) forget(self);
          },
          [self](const caf::error&) { self->state.forgetting = false; });
}

void poll(self_ptr self) {
  auto& s = self->state;
  const auto now = self->clock().now();
  const bool away = !s.house->database_seen;
  if (s.was_away && !away) s.reap_not_before = now + s.house->settings.lease;
  s.was_away = away;
  if (now >= s.heartbeat_due) {
    s.heartbeat_due = now + s.house->settings.heartbeat;
    tell(self, my_keeper(self), send_heartbeat{});
  }
  if (now >= s.forget_due) {
    s.forget_due = now + forget_every;
    forget(self);
  }
  if (!away) reap(self); // while it is away nobody can renew: nobody's lease is judged either
  find(self);
  suspect(self);
  self->delayed_send(self, s.house->settings.poll, poll_due{});
}

} // namespace

reaper_actor::behavior_type reaper(self_ptr self, house_ptr house, supervisor_actor supervisor,
                                   colleagues staff) {
  keep_exceptions_quiet(self);
  auto& s = self->state;
  s.house = std::move(house);
  s.supervisor = std::move(supervisor);
  s.staff = std::move(staff);
  self->send(self, poll_due{});
  return {
      [self](poll_due) { poll(self); },
      [self](const colleagues& staff) {
        auto& s = self->state;
        s.staff = staff;
        s.reaping = s.finding = s.forgetting = false; // the old ones will not answer
        no_suspect_runs(self);
      },
      [self](hints_missed) { find(self); },
      [self](stop_claiming) { return stop(self); },
  };
}

} // namespace arauto
