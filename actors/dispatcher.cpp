#include "actors/dispatcher.hpp"

#include <algorithm>

#include "actors/delivery.hpp"
#include "actors/release.hpp"

namespace arauto {

namespace {

using self_ptr = dispatcher_actor::stateful_pointer<dispatcher_memory>;

constexpr int idle_rounds_max = 6; // renewals without work, then it leaves
constexpr std::chrono::milliseconds look_again_after{50};

const keeper_actor& some_keeper(self_ptr self) {
  auto& s = self->state;
  return s.staff.work_keepers[s.next_keeper++ % s.staff.work_keepers.size()];
}

void claim(self_ptr self, channel via);
void offer_room(self_ptr self, channel via);
void check_stopped(self_ptr self);
void stop_work(self_ptr self);

// Calls the offered room back in; whatever waits in the database comes first again.
void withdraw(self_ptr self, channel via, lane& from) {
  from.begin_withdrawal();
  self->request(self->state.staff.front, caf::infinite, withdraw_room{self->state.tenant, via})
      .then(
          [self, via](const room_returned& back) {
            self->state.lanes.at(via).end_withdrawal(static_cast<std::size_t>(back.deliveries));
            check_stopped(self);
            claim(self, via);
            offer_room(self, via);
          },
          [self, via](const caf::error&) {
            self->state.lanes.at(via).end_withdrawal(0);
            check_stopped(self);
          });
}

void take_room_back(self_ptr self, channel via) {
  auto& lane = self->state.lanes.at(via);
  if (lane.offered() > 0 && !lane.withdrawing()) withdraw(self, via, lane);
}

lane& lane_of(self_ptr self, channel via) {
  auto& s = self->state;
  const auto [found, born] = s.lanes.try_emplace(via, s.house->settings.window_max);
  if (born) withdraw(self, via, found->second); // what a dispatcher before this one had offered
  return found->second;
}

// While nothing of the backlog waits, the front may start some before we even hear of them.
void offer_room(self_ptr self, channel via) {
  auto& s = self->state;
  auto& lane = lane_of(self, via);
  if (s.stopping || s.leaving) return;
  if (const auto more = lane.offer(); more > 0)
    tell(self, s.staff.front, room_offered{s.tenant, via, static_cast<std::int32_t>(more)});
}

// -- deliveries -------------------------------------------------------------------

dispatcher_memory::running& start(self_ptr self, const storage::lease& held) {
  auto& s = self->state;
  const auto me = caf::actor_cast<dispatcher_actor>(self);
  const auto keeper = some_keeper(self);
  auto actor = self->spawn<caf::monitored>(delivery, s.house, held, keeper, s.staff.registrar, me);
  s.house->numbers.in_flight(1);
  return s.deliveries
      .emplace(actor.id(),
               dispatcher_memory::running{held, actor, keeper, self->clock().now(), true, {}})
      .first->second;
}

// Asked again when its keeper was replaced; the stop waits for it.
void ask_release(self_ptr self, std::uint64_t number) {
  const auto& held = self->state.releasing.at(number);
  const auto released_one = [self, number] {
    self->state.releasing.erase(number);
    check_stopped(self);
  };
  self->request(some_keeper(self), caf::infinite, settle_attempt{released(held)})
      .then([released_one](const storage::settled&) { released_one(); },
            [released_one](const caf::error& why) {
              if (!is_gone(why)) released_one(); // else its successor will be introduced
            });
}

// Goes back to due.
void release(self_ptr self, const storage::lease& held) {
  auto& s = self->state;
  const auto number = ++s.release_number;
  s.releasing.emplace(number, held);
  ask_release(self, number);
}

// Alone among its kind, outside the window: at most one waits for its permit at a time.
caf::result<suspect_cleared> start_suspect(self_ptr self, const run_suspect& one) {
  if (self->state.stopping) {
    release(self, one.held);
    return suspect_cleared{};
  }
  auto& running = start(self, one.held);
  running.in_window = false;
  return running.suspect_asker = self->make_response_promise<suspect_cleared>();
}

void clear(dispatcher_memory::running& suspect) {
  if (suspect.suspect_asker.pending()) suspect.suspect_asker.deliver(suspect_cleared{});
}

void suspect_began(self_ptr self, const attempt_begun& began) {
  for (auto& [id, one] : self->state.deliveries)
    if (one.held.key == began.whose.key && one.held.held == began.whose.held) clear(one);
}

void run_or_release(self_ptr self, const storage::lease& held) {
  if (!self->state.stopping && lane_of(self, held.key.via).take())
    start(self, held);
  else
    release(self, held);
}

// Leases born with their events, in places that were offered (maybe by one before this one).
void run_born(self_ptr self, const leases_granted& granted) {
  for (const auto& held : granted.leases) {
    lane_of(self, held.key.via).returned(1);
    run_or_release(self, held);
  }
  for (auto& [via, lane] : self->state.lanes)
    offer_room(self, via);
  check_stopped(self);
}

// The answer may be that of a keeper that was replaced meanwhile: what it leased is run all the
// same.
void claim_answered(self_ptr self, channel via, const lane::wish& asked, const claimed& got) {
  auto& lane = self->state.lanes.at(via);
  const auto urgent = std::count_if(got.leases.begin(), got.leases.end(), [](const auto& one) {
    return one.urgency == priority::urgent;
  });
  lane.end_claim(asked, got.leases.size(), static_cast<std::size_t>(urgent));
  for (const auto& held : got.leases)
    run_or_release(self, held);
  check_stopped(self);
  if (lane.more_waits()) take_room_back(self, via);
  claim(self, via); // there is more, or a hint came meanwhile
  offer_room(self, via);
}

// Asks for what is due, at most for the free places.
void claim(self_ptr self, channel via) {
  auto& s = self->state;
  auto& lane = lane_of(self, via);
  if (s.stopping || !lane.may_claim()) return;
  if (lane.room() == 0) return take_room_back(self, via);
  const auto asked = lane.begin_claim();
  self->request(some_keeper(self), caf::infinite,
                claim_due{{s.tenant, via, static_cast<int>(asked.deliveries),
                           static_cast<int>(asked.urgent)}})
      .then([self, via, asked](const claimed& got) { claim_answered(self, via, asked, got); },
            [self, via, asked](const caf::error&) { // the next poll hints again
              auto& lane = self->state.lanes.at(via);
              if (lane.is_open(asked)) lane.give_up_claim();
              check_stopped(self);
            });
}

// Only before its attempt: once the provider may know, what follows is for the template to say,
// and that died with the actor. The lease runs out, and reap.sql decides.
void settle_crash(self_ptr self, const storage::lease& held) {
  const auto& rules = self->state.house->settings;
  const auto decided = plan_after_crash(held.lost_leases, rules.lost_leases_max, rules.retry);
  self->request(some_keeper(self), caf::infinite, settle_attempt{lost(held, decided)})
      .then([self](
                const storage::settled& answer) { self->state.house->numbers.settled(answer.now); },
            [](const caf::error&) {});
}

// True when there were too many of them.
bool note_crash(self_ptr self, const storage::lease& held, const caf::error& reason) {
  auto& s = self->state;
  const auto& rules = s.house->settings;
  const auto crashes = s.crashes.count(self->clock().now(), rules.restart_window);
  s.house->numbers.restarted();
  log_crash(held, reason, crashes);
  return crashes > static_cast<std::size_t>(rules.restarts_max);
}

template <class Message>
void tell_all(self_ptr self, const Message& what) {
  for (auto& [id, one] : self->state.deliveries)
    tell(self, one.actor, what);
}

// The branch, not the house: what has no permit goes back, what has one finishes by itself, the
// supervisor decides when this tenant is served again.
void stop_branch(self_ptr self) {
  auto& s = self->state;
  for (auto& [id, one] : s.deliveries)
    clear(one);
  tell_all(self, give_back{});
  s.house->numbers.in_flight(-static_cast<double>(s.deliveries.size()));
  self->quit(caf::make_error(errc::internal));
}

// Quiet: nothing runs, nothing is asked for, and the front can start nothing here any more.
void check_stopped(self_ptr self) {
  auto& s = self->state;
  const bool busy = std::any_of(s.lanes.begin(), s.lanes.end(),
                                [](const auto& one) { return one.second.is_busy(); });
  if (!s.stopping || !s.deliveries.empty() || busy || !s.releasing.empty()) return;
  for (auto& asker : s.stop_askers)
    asker.deliver(drained{});
  s.stop_askers.clear();
  if (s.retired) self->quit();
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
  if (ended.in_window) lane_of(self, via).leave();
  if (down.reason) return_slots(self, *s.house, ended.held);
  if (down.reason == errc::crashed_before_send || down.reason == errc::crashed_in_send) {
    const bool too_many = note_crash(self, ended.held, down.reason);
    if (down.reason == errc::crashed_before_send) settle_crash(self, ended.held);
    if (too_many) return stop_branch(self);
  }
  check_stopped(self);
  claim(self, via);
  offer_room(self, via);
}

// Not renewed, mostly because their time was over. Those that only waited go back to due, where
// nobody counts them as lost; the others will hear it from their permit or their settlement.
void leave_to_others(self_ptr self, const leases_lost& gone) {
  for (const auto& [id, one] : self->state.deliveries)
    if (std::any_of(gone.lost.begin(), gone.lost.end(), [&one = one](const auto& lost) {
          return lost.key == one.held.key && lost.held == one.held.held;
        }))
      tell(self, one.actor, give_back{});
}

void renew(self_ptr self) {
  auto& s = self->state;
  renew_leases command;
  for (const auto& [id, one] : s.deliveries)
    if (self->clock().now() - one.since >= s.house->settings.lease / 6)
      command.held.push_back(storage::as_held(one.held));
  if (!command.held.empty())
    self->request(some_keeper(self), caf::infinite, std::move(command))
        .then([self](const leases_lost& gone) { leave_to_others(self, gone); },
              [](const caf::error&) {});
}

bool is_idle(const dispatcher_memory& s) {
  return s.deliveries.empty() && !s.stopping
         && std::all_of(s.lanes.begin(), s.lanes.end(),
                        [](const auto& one) { return one.second.is_idle(); });
}

// True while some is out.
bool call_room_back(self_ptr self) {
  bool out = false;
  for (auto& [via, lane] : self->state.lanes) {
    out = out || lane.offered() > 0;
    take_room_back(self, via);
  }
  return out;
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
  if (s.retiring) return; // waits for the supervisor's word, or has it
  if (s.idle_rounds < idle_rounds_max) return;
  s.leaving = true;
  if (call_room_back(self)) return;
  s.retiring = true;
  // What a hint started between the question and the answer goes back or finishes.
  self->request(s.supervisor, caf::infinite, may_retire{s.tenant})
      .then(
          [self] {
            self->state.retired = true;
            self->state.idle_rounds = 0;
            stop_work(self);
          },
          [self](const caf::error&) { self->state.retiring = false; });
}

// Past every limit: nobody answers our deliveries any more, and their leases decide.
void leave(self_ptr self, const caf::error& reason) {
  for (auto& [id, one] : self->state.deliveries)
    self->send_exit(one.actor, reason);
  self->quit(reason);
}

void on_renewal_due(self_ptr self) {
  auto& s = self->state;
  // Nobody introduces new colleagues to a retired one: what it asked of a lost one stays open.
  if (s.retired && ++s.idle_rounds > idle_rounds_max)
    return leave(self, caf::exit_reason::user_shutdown);
  renew(self);
  for (auto& [via, lane] : s.lanes)
    claim(self, via); // a hint that came while a claim failed is still to be followed
  if (!s.retired) retire_if_idle(self);
  self->delayed_send(self, s.house->settings.lease / 3, renewal_due{});
}

// What was asked of the old colleagues will not be answered.
void introduce(self_ptr self, const colleagues& staff) {
  auto& s = self->state;
  const bool other_front = staff.front != s.staff.front;
  const bool other_registrar = staff.registrar != s.staff.registrar;
  const bool other_keepers = staff.work_keepers != s.staff.work_keepers;
  s.staff = staff;
  for (auto& [via, lane] : s.lanes) {
    if (other_front) lane.forget_offers();
    if (other_keepers) lane.give_up_claim();
  }
  if (other_keepers)
    for (const auto& [number, held] : s.releasing)
      ask_release(self, number);
  for (auto& [id, one] : s.deliveries) {
    const bool keeps_its_keeper =
        std::count(staff.work_keepers.begin(), staff.work_keepers.end(), one.keeper) > 0;
    if (!keeps_its_keeper) one.keeper = some_keeper(self);
    if (other_registrar || !keeps_its_keeper)
      tell(self, one.actor, meet_colleagues{one.keeper, staff.registrar});
  }
}

// The front may be committing a group whose leases it has not handed over yet: asked again.
void look_again(self_ptr self) {
  if (call_room_back(self)) self->delayed_send(self, look_again_after, retry_due{});
  check_stopped(self);
}

// Starts nothing more; what has no permit goes back.
void stop_work(self_ptr self) {
  self->state.stopping = true;
  tell_all(self, give_back{});
  look_again(self);
}

caf::result<drained> stop(self_ptr self) {
  auto promise = self->make_response_promise<drained>();
  self->state.stop_askers.push_back(promise);
  stop_work(self);
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
  self->set_exit_handler([self](caf::exit_msg& word) { leave(self, word.reason); });
  self->delayed_send(self, s.house->settings.lease / 3, renewal_due{});
  return {
      [self](const work_ready& hint) {
        lane_of(self, hint.via).hint();
        claim(self, hint.via);
      },
      [self](const leases_granted& granted) { run_born(self, granted); },
      [self](const run_suspect& one) { return start_suspect(self, one); },
      [self](const attempt_begun& began) { suspect_began(self, began); },
      [self](renewal_due) { on_renewal_due(self); },
      [self](const colleagues& staff) { introduce(self, staff); },
      [self](const courier_lost& lost) { tell_all(self, lost); },
      [self](retry_due) { look_again(self); },
      [self](stop_claiming) { return stop(self); },
  };
}

} // namespace arauto
