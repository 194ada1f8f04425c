#include "actors/dispatcher.hpp"

#include <algorithm>

#include "actors/delivery.hpp"
#include "storage/log.hpp"

namespace arauto {

namespace {

using self_ptr = dispatcher_actor::stateful_pointer<dispatcher_memory>;
using lane = dispatcher_memory::lane;

constexpr int idle_rounds_max = 6; // renewals without work, then it leaves

const keeper_actor& some_keeper(self_ptr self) {
  auto& s = self->state;
  return s.staff.work_keepers[s.next_keeper++ % s.staff.work_keepers.size()];
}

void claim(self_ptr self, channel via);
void offer_room(self_ptr self, channel via);
void check_stopped(self_ptr self);

// Calls the offered room back in; whatever waits in the database comes first again.
void withdraw(self_ptr self, channel via, lane& from) {
  from.withdrawing = true;
  self->request(self->state.staff.front, caf::infinite, withdraw_room{self->state.tenant, via})
      .then(
          [self, via](const room_returned& back) {
            auto& lane = self->state.lanes.at(via);
            lane.withdrawing = false;
            const auto count = std::min(lane.offered, static_cast<std::size_t>(back.deliveries));
            lane.offered -= count;
            lane.places.give_back(count);
            claim(self, via);
            offer_room(self, via);
          },
          [self, via](const caf::error&) { self->state.lanes.at(via).withdrawing = false; });
}

void take_room_back(self_ptr self, channel via) {
  auto& lane = self->state.lanes.at(via);
  if (lane.offered > 0 && !lane.withdrawing) withdraw(self, via, lane);
}

lane& lane_of(self_ptr self, channel via) {
  auto& s = self->state;
  const auto [found, born] = s.lanes.try_emplace(via, lane{window{s.house->settings.window_max}});
  if (born) withdraw(self, via, found->second); // what a dispatcher before this one had offered
  return found->second;
}

// While nothing of the backlog waits, half of the free places may be filled by the front before we
// even hear of it.
void offer_room(self_ptr self, channel via) {
  auto& s = self->state;
  auto& lane = lane_of(self, via);
  if (s.stopping || s.leaving || lane.more_waits || lane.claiming > 0 || lane.withdrawing) return;
  const auto wanted = lane.places.max() / 2;
  if (lane.offered > wanted / 2) return;
  const auto more = std::min(wanted - lane.offered, lane.places.room());
  if (more == 0) return;
  lane.places.take(more);
  lane.offered += more;
  tell(self, s.staff.front, room_offered{s.tenant, via, static_cast<std::int32_t>(more)});
}

// -- deliveries -------------------------------------------------------------------

dispatcher_memory::running& start(self_ptr self, const storage::lease& held) {
  auto& s = self->state;
  const auto me = caf::actor_cast<dispatcher_actor>(self);
  const auto keeper = some_keeper(self);
  auto actor = self->spawn<caf::monitored>(delivery, s.house, held, keeper, s.staff.mail, me);
  s.house->numbers.in_flight(1);
  return s.deliveries
      .emplace(actor.id(),
               dispatcher_memory::running{held, actor, keeper, self->clock().now(), true, {}})
      .first->second;
}

// Alone among its kind, outside the window: at most one waits for its permit at a time.
caf::result<suspect_cleared> start_suspect(self_ptr self, const run_suspect& one) {
  auto& running = start(self, one.held);
  running.in_window = false;
  running.suspect_asker = self->make_response_promise<suspect_cleared>();
  return running.suspect_asker;
}

void clear(dispatcher_memory::running& suspect) {
  if (suspect.suspect_asker.pending()) suspect.suspect_asker.deliver(suspect_cleared{});
}

void suspect_began(self_ptr self, const attempt_begun& began) {
  for (auto& [id, one] : self->state.deliveries)
    if (one.held.key == began.whose.key && one.held.held == began.whose.held) clear(one);
}

// A lease for which there is no place: given back by a settlement that counts nothing.
void release(self_ptr self, const storage::lease& held) {
  storage::settlement back;
  back.key = held.key;
  back.held = held.held;
  back.decided = {state::pending, std::chrono::milliseconds{0}, false, {}};
  back.attempted = false;
  ++self->state.releasing;
  const auto released = [self] {
    --self->state.releasing;
    check_stopped(self);
  };
  self->request(some_keeper(self), caf::infinite, settle_attempt{std::move(back)})
      .then([released](const storage::settled&) { released(); },
            [released](const caf::error&) { released(); });
}

// Leases born with their events; their places were taken when the room was offered.
void run_born(self_ptr self, const leases_granted& granted) {
  auto& s = self->state;
  for (const auto& held : granted.leases) {
    auto& lane = lane_of(self, held.key.via);
    if (lane.offered > 0)
      --lane.offered;
    else if (!s.stopping && lane.places.room() > 0)
      lane.places.take(); // offered by a dispatcher before this one
    else {
      release(self, held);
      continue;
    }
    if (s.stopping) {
      lane.places.give_back();
      release(self, held);
    } else {
      start(self, held);
    }
  }
  for (auto& [via, lane] : s.lanes)
    offer_room(self, via);
}

void claim_answered(self_ptr self, channel via, int urgent_room, const claimed& got) {
  auto& s = self->state;
  auto& lane = s.lanes.at(via);
  const auto room = std::exchange(lane.claiming, 0);
  const auto used = std::min(got.leases.size(), room);
  lane.places.give_back(room - used);
  const auto urgent = std::count_if(got.leases.begin(), got.leases.end(), [](const auto& one) {
    return one.urgency == priority::urgent;
  });
  if (used == room || urgent >= urgent_room) lane.more_waits = true;
  for (const auto& held : got.leases)
    if (s.stopping) {
      lane.places.give_back();
      release(self, held);
    } else {
      start(self, held);
    }
  check_stopped(self);
  if (lane.more_waits) take_room_back(self, via);
  claim(self, via); // there is more, or a hint came meanwhile
  offer_room(self, via);
}

// Asks for what is due, at most for the free places; urgent ones get at most three quarters of
// them.
void claim(self_ptr self, channel via) {
  auto& s = self->state;
  auto& lane = lane_of(self, via);
  if (s.stopping || lane.claiming > 0 || !lane.more_waits) return;
  const auto room = lane.places.room();
  if (room == 0) return take_room_back(self, via);
  lane.claiming = room;
  lane.more_waits = false;
  lane.places.take(room);
  const auto number = ++lane.claim_number;
  const auto urgent_room = static_cast<int>(room - room / 4);
  const auto still_open = [self, via, number] {
    const auto& lane = self->state.lanes.at(via);
    return lane.claiming > 0 && lane.claim_number == number;
  };
  self->request(some_keeper(self), caf::infinite,
                claim_due{{s.tenant, via, static_cast<int>(room), urgent_room}})
      .then(
          [self, via, urgent_room, still_open](const claimed& got) {
            if (still_open()) claim_answered(self, via, urgent_room, got);
          },
          [self, via, still_open](const caf::error&) { // the next poll hints again
            auto& lane = self->state.lanes.at(via);
            if (still_open()) lane.places.give_back(std::exchange(lane.claiming, 0));
            check_stopped(self);
          });
}

// A crash is the only thing that is counted against a delivery here; all other ends are results it
// settled itself.
void settle_crash(self_ptr self, const storage::lease& held, bool provider_may_know) {
  const auto& rules = self->state.house->settings;
  storage::settlement what;
  what.key = held.key;
  what.held = held.held;
  what.what.said = verdict::unknown;
  if (provider_may_know) {
    what.what.cause = "worker_crashed";
    what.decided = plan_after(what.what, 1, 0, held.doubtful, rules.retry, rules.doubt, 0.5);
  } else {
    what.attempted = false;
    what.given_back = true;
    what.lost = true;
    what.decided = plan_after_crash(held.lost_leases, rules.lost_leases_max, rules.retry);
  }
  self->request(some_keeper(self), caf::infinite, settle_attempt{std::move(what)})
      .then([self](
                const storage::settled& answer) { self->state.house->numbers.settled(answer.now); },
            [](const caf::error&) {});
}

void note_crash(self_ptr self, const storage::lease& held, const caf::error& reason) {
  auto& s = self->state;
  s.crashes.count(self->clock().now(), s.house->settings.restart_window);
  s.house->numbers.restarted();
  log::error("actor_died", {{"actor", "delivery"},
                            {"tenant", s.tenant.text},
                            {"event_id", held.key.event.text},
                            {"channel", spelled(held.key.via)},
                            {"lease_token", held.held.number},
                            {"reason", reason == errc::crashed_in_send ? "crashed_in_send"
                                                                       : "crashed_before_send"},
                            {"restarts", s.crashes.size()}});
}

bool too_many_crashes(const dispatcher_memory& s) {
  return s.crashes.size() > static_cast<std::size_t>(s.house->settings.restarts_max);
}

// The branch, not the house: what has no permit goes back, what has one finishes by itself, the
// supervisor decides when this tenant is served again.
void stop_branch(self_ptr self) {
  auto& s = self->state;
  for (auto& [id, one] : s.deliveries) {
    clear(one);
    tell(self, one.actor, give_back{});
  }
  s.house->numbers.in_flight(-static_cast<double>(s.deliveries.size()));
  self->quit(caf::make_error(errc::internal));
}

void check_stopped(self_ptr self) {
  auto& s = self->state;
  const bool claiming = std::any_of(s.lanes.begin(), s.lanes.end(),
                                    [](const auto& one) { return one.second.claiming > 0; });
  if (!s.stopping || !s.deliveries.empty() || claiming || s.releasing > 0) return;
  for (auto& asker : s.stop_askers)
    asker.deliver(drained{});
  s.stop_askers.clear();
}

void delivery_down(self_ptr self, const caf::down_msg& down) {
  auto& s = self->state;
  const auto found = s.deliveries.find(down.source.id());
  if (found == s.deliveries.end()) return;
  auto ended = std::move(found->second);
  clear(ended);
  s.deliveries.erase(found);
  s.house->numbers.in_flight(-1);
  const auto via = ended.held.key.via;
  if (ended.in_window) lane_of(self, via).places.give_back();
  if (down.reason) // it could not give its slot back itself
    tell(self, s.staff.mail, return_slot{s.tenant, {ended.held.key, ended.held.held}});
  if (down.reason == errc::crashed_before_send || down.reason == errc::crashed_in_send) {
    note_crash(self, ended.held, down.reason);
    settle_crash(self, ended.held, down.reason == errc::crashed_in_send);
    if (too_many_crashes(s)) return stop_branch(self);
  }
  check_stopped(self);
  claim(self, via);
  offer_room(self, via);
}

void renew(self_ptr self) {
  auto& s = self->state;
  const auto third = s.house->settings.lease / 3;
  renew_leases command;
  for (const auto& [id, one] : s.deliveries)
    if (self->clock().now() - one.since >= third / 2)
      command.held.push_back({one.held.key, one.held.held});
  if (!command.held.empty())
    self->request(some_keeper(self), caf::infinite, std::move(command))
        .then([](const leases_lost&) {}, // a permit or a settlement will be told so
              [](const caf::error&) {});
}

bool is_idle(const dispatcher_memory& s) {
  return s.deliveries.empty() && !s.stopping
         && std::none_of(s.lanes.begin(), s.lanes.end(), [](const auto& one) {
              return one.second.claiming > 0 || one.second.withdrawing || one.second.more_waits;
            });
}

// Leaves in steps: call the room back, then tell the supervisor, then go. Work that comes meanwhile
// ends the leaving.
void retire_if_idle(self_ptr self) {
  auto& s = self->state;
  s.idle_rounds = is_idle(s) ? s.idle_rounds + 1 : 0;
  if (s.idle_rounds == 0) {
    s.leaving = s.retiring;
    return;
  }
  if (s.retiring) return; // waits for the supervisor's word
  if (s.idle_rounds < idle_rounds_max) return;
  s.leaving = true;
  const bool room_out = std::any_of(s.lanes.begin(), s.lanes.end(),
                                    [](const auto& one) { return one.second.offered > 0; });
  for (auto& [via, lane] : s.lanes)
    take_room_back(self, via);
  if (room_out) return;
  s.retiring = true;
  // Whatever a hint started between the question and the answer finishes by itself or goes back.
  self->request(s.supervisor, caf::infinite, may_retire{s.tenant})
      .then(
          [self] {
            for (auto& [id, one] : self->state.deliveries)
              tell(self, one.actor, give_back{});
            self->quit();
          },
          [self](const caf::error&) { self->state.retiring = false; });
}

void on_renewal_due(self_ptr self) {
  renew(self);
  for (auto& [via, lane] : self->state.lanes)
    claim(self, via); // a hint that came while a claim failed is still to be followed
  retire_if_idle(self);
  self->delayed_send(self, self->state.house->settings.lease / 3, renewal_due{});
}

// What was asked of the old colleagues will not be answered: those deliveries end, and their leases
// decide.
void meet_colleagues(self_ptr self, const colleagues& staff) {
  auto& s = self->state;
  const bool other_front = staff.front != s.staff.front;
  const bool other_courier = staff.mail != s.staff.mail;
  const bool other_keepers = staff.work_keepers != s.staff.work_keepers;
  s.staff = staff;
  for (auto& [via, lane] : s.lanes) {
    if (other_front) { // it knows of no room
      lane.withdrawing = false;
      lane.places.give_back(std::exchange(lane.offered, 0));
    }
    if (other_keepers) lane.places.give_back(std::exchange(lane.claiming, 0));
  }
  for (auto& [id, one] : s.deliveries) {
    const bool keeps_its_keeper =
        std::count(staff.work_keepers.begin(), staff.work_keepers.end(), one.keeper) > 0;
    if (other_courier || !keeps_its_keeper)
      self->send_exit(one.actor, caf::make_error(errc::colleague_lost));
  }
}

caf::result<drained> stop(self_ptr self) {
  auto& s = self->state;
  s.stopping = true;
  auto promise = self->make_response_promise<drained>();
  s.stop_askers.push_back(promise);
  for (auto& [via, lane] : s.lanes)
    take_room_back(self, via);
  for (auto& [id, one] : s.deliveries)
    tell(self, one.actor, give_back{});
  check_stopped(self);
  return promise;
}

} // namespace

dispatcher_actor::behavior_type dispatcher(self_ptr self, house_ptr house, tenant_id tenant,
                                           supervisor_actor supervisor, colleagues staff) {
  keep_exceptions_quiet(self);
  auto& s = self->state;
  s.house = std::move(house);
  s.name = "dispatcher/" + tenant.text;
  s.tenant = std::move(tenant);
  s.supervisor = std::move(supervisor);
  s.staff = std::move(staff);
  self->set_down_handler([self](caf::down_msg& down) { delivery_down(self, down); });
  self->delayed_send(self, s.house->settings.lease / 3, renewal_due{});
  return {
      [self](const work_ready& hint) {
        lane_of(self, hint.via).more_waits = true;
        claim(self, hint.via);
      },
      [self](const leases_granted& granted) { run_born(self, granted); },
      [self](const run_suspect& one) { return start_suspect(self, one); },
      [self](const attempt_begun& began) { suspect_began(self, began); },
      [self](renewal_due) { on_renewal_due(self); },
      [self](const colleagues& staff) { meet_colleagues(self, staff); },
      [self](stop_claiming) { return stop(self); },
  };
}

} // namespace arauto
