#include "actors/supervisor.hpp"

#include <algorithm>

#include "actors/dispatcher.hpp"
#include "actors/front.hpp"
#include "actors/keeper.hpp"
#include "actors/porter.hpp"
#include "actors/reaper.hpp"
#include "actors/registrar.hpp"
#include "storage/log.hpp"

namespace arauto {

namespace {

using self_ptr = supervisor_actor::stateful_pointer<supervisor_memory>;
using post = supervisor_memory::post;
using branch = supervisor_memory::branch;

constexpr std::chrono::milliseconds first_pause{100};
constexpr std::chrono::milliseconds longest_pause{5'000};

bool too_many(std::size_t crashes, const office_settings& rules) {
  return crashes > static_cast<std::size_t>(rules.restarts_max);
}

void log_death(const std::string& actor, const caf::error& reason, std::size_t restarts,
               const char* event) {
  const bool crash = reason == caf::sec::runtime_error;
  log::error(event, {{"actor", actor},
                     {"reason", crash ? "exception" : "error"},
                     {"code", static_cast<int>(reason.code())},
                     {"restarts", restarts}});
}

// -- permanent staff -----------------------------------------------------------

template <class Handle>
caf::actor_addr put(Handle& place, Handle holder) {
  place = holder;
  return caf::actor_cast<caf::actor_addr>(holder);
}

void hire_keepers(self_ptr self, std::vector<keeper_actor>& places, std::size_t count,
                  const std::string& kind) {
  places.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    self->state.posts.push_back(
        {kind + "/" + std::to_string(i),
         [self, &places, i] {
           return put(places[i],
                      self->spawn<caf::detached + caf::monitored>(keeper, self->state.house));
         },
         {},
         {},
         false});
}

void hire(self_ptr self) {
  auto& s = self->state;
  const auto me = caf::actor_cast<supervisor_actor>(self);
  hire_keepers(self, s.staff.accept_keepers, s.house->settings.accept_keepers, "accept_keeper");
  hire_keepers(self, s.staff.work_keepers, s.house->settings.work_keepers, "keeper");
  s.posts.push_back({"registrar",
                     [self, me] {
                       auto& s = self->state;
                       return put(s.staff.registrar, self->spawn<caf::detached + caf::monitored>(
                                                         registrar, s.house, me, s.staff));
                     },
                     {},
                     {},
                     false});
  s.posts.push_back({"front",
                     [self, me] {
                       auto& s = self->state;
                       auto address = put(s.staff.front,
                                          self->spawn<caf::monitored>(front, s.house, me, s.staff));
                       s.front_started(s.staff.front);
                       return address;
                     },
                     {},
                     {},
                     false});
  s.posts.push_back({"reaper",
                     [self, me] {
                       auto& s = self->state;
                       return put(s.reaper,
                                  self->spawn<caf::monitored>(reaper, s.house, me, s.staff));
                     },
                     {},
                     {},
                     false});
  if (s.house->settings.listens)
    s.posts.push_back(
        {"porter",
         [self, me] {
           return caf::actor_cast<caf::actor_addr>(
               self->spawn<caf::detached + caf::monitored>(porter, self->state.house, me));
         },
         {},
         {},
         false});
  for (auto& one : s.posts)
    one.holder = one.start();
}

void introduce(self_ptr self) {
  auto& s = self->state;
  tell(self, s.staff.registrar, s.staff);
  tell(self, s.staff.front, s.staff);
  tell(self, s.reaper, s.staff);
  for (auto& [tenant, one] : s.branches)
    if (one.dispatcher) tell(self, one.dispatcher, s.staff);
}

void post_vacant(self_ptr self, post& one, const caf::error& reason) {
  auto& s = self->state;
  const auto crashes = one.crashes.count(self->clock().now(), s.house->settings.restart_window);
  log_death(one.name, reason, crashes, "actor_died");
  if (too_many(crashes, s.house->settings)) {
    log::error("house_collapsed", {{"actor", one.name}});
    s.house->on_collapse();
    return;
  }
  one.vacant = true;
  const auto pause = first_pause * (1 << std::min<std::size_t>(crashes - 1, 6));
  self->delayed_send(self, std::min<std::chrono::milliseconds>(pause, longest_pause), retry_due{});
}

void fill_vacancies(self_ptr self) {
  auto& s = self->state;
  for (auto& one : s.posts)
    if (std::exchange(one.vacant, false)) {
      one.holder = one.start();
      s.house->numbers.restarted();
      log::info("actor_restarted", {{"actor", one.name}});
    }
  introduce(self);
}

void one_drained(self_ptr self, const tenant_id& who);

// -- branches ---------------------------------------------------------------------

// The tenant's dispatcher, started when it is not there; none while its branch is stopped.
dispatcher_actor dispatcher_of(self_ptr self, const tenant_id& tenant) {
  auto& s = self->state;
  auto& one = s.branches[tenant];
  if (one.dispatcher || s.stopping || self->clock().now() < one.stopped_until)
    return one.dispatcher;
  const auto me = caf::actor_cast<supervisor_actor>(self);
  one.dispatcher = self->spawn<caf::monitored>(dispatcher, s.house, tenant, me, s.staff);
  return one.dispatcher;
}

void branch_down(self_ptr self, const tenant_id& tenant, branch& one, const caf::error& reason) {
  auto& s = self->state;
  one.dispatcher = nullptr;
  const bool gave_up =
      reason == errc::internal; // it stopped itself: too many crashes of its deliveries
  const auto crashes = one.crashes.count(self->clock().now(), s.house->settings.restart_window);
  log_death("dispatcher/" + tenant.text, reason, crashes,
            gave_up ? "branch_stopped" : "actor_died");
  if (gave_up || too_many(crashes, s.house->settings))
    one.stopped_until = self->clock().now() + s.house->settings.restart_window;
  for (auto via : s.house->served) // what it had offered, nobody serves now
    self->request(s.staff.front, caf::infinite, withdraw_room{tenant, via})
        .then([](const room_returned&) {}, [](const caf::error&) {});
  // Its work waits in the database; the reaper's next poll starts it again.
}

void somebody_down(self_ptr self, const caf::down_msg& down) {
  auto& s = self->state;
  for (auto& one : s.posts)
    if (one.holder == down.source) {
      post_vacant(self, one,
                  down.reason); // also in an orderly stop: leases go back through keepers
      return;
    }
  for (auto& [tenant, one] : s.branches)
    if (one.dispatcher && caf::actor_cast<caf::actor_addr>(one.dispatcher) == down.source) {
      if (s.stopping) return one_drained(self, tenant);
      branch_down(self, tenant, one, down.reason);
      return;
    }
}

template <class Answer, class Message>
caf::result<Answer> pass_on(self_ptr self, const tenant_id& tenant, Message what) {
  const auto dispatcher = dispatcher_of(self, tenant);
  if (!dispatcher) return caf::make_error(errc::unavailable);
  return self->delegate(dispatcher, std::move(what));
}

// -- orderly stop -----------------------------------------------------------------

void dismiss(self_ptr self) {
  auto& s = self->state;
  for (auto& [tenant, one] : s.branches)
    if (one.dispatcher) self->send_exit(one.dispatcher, caf::exit_reason::user_shutdown);
  for (auto& one : s.posts)
    self->send_exit(one.holder, caf::exit_reason::user_shutdown);
  if (s.stop_asker.pending()) s.stop_asker.deliver(drained{});
  self->quit();
}

// What is not a tenant's is the reaper's, under no name.
void one_drained(self_ptr self, const tenant_id& who) {
  auto& s = self->state;
  if (s.draining.erase(who) > 0 && s.draining.empty()) dismiss(self);
}

template <class Actor>
void drain(self_ptr self, const Actor& whom, const tenant_id& name, caf::timespan limit) {
  self->state.draining.insert(name);
  self->request(whom, limit, stop_claiming{})
      .then([self, name](drained) { one_drained(self, name); },
            [self, name](const caf::error&) { one_drained(self, name); });
}

caf::result<drained> stop(self_ptr self, const orderly_stop& command) {
  auto& s = self->state;
  s.stopping = true;
  s.stop_asker = self->make_response_promise<drained>();
  drain(self, s.reaper, {}, command.limit);
  for (auto& [tenant, one] : s.branches)
    if (one.dispatcher) drain(self, one.dispatcher, tenant, command.limit);
  return s.stop_asker;
}

} // namespace

supervisor_actor::behavior_type supervisor(self_ptr self, house_ptr house,
                                           std::function<void(front_actor)> front_started) {
  keep_exceptions_quiet(self);
  auto& s = self->state;
  s.house = std::move(house);
  s.front_started = std::move(front_started);
  self->set_down_handler([self](caf::down_msg& down) { somebody_down(self, down); });
  self->set_exit_handler([self](caf::exit_msg&) { dismiss(self); });
  // Nobody is above the supervisor: when it dies unasked, the process must not go on without it.
  self->attach_functor([house = self->state.house] {
    if (house->stopping) return;
    log::error("house_collapsed", {{"actor", "supervisor"}});
    house->on_collapse();
  });
  hire(self);
  return {
      [self](const work_ready& hint) { return pass_on<void>(self, hint.tenant, hint); },
      [self](leases_granted& granted) {
        const auto tenant = granted.leases.empty() ? tenant_id{} : granted.leases.front().tenant;
        return pass_on<void>(self, tenant, std::move(granted));
      },
      [self](run_suspect& one) {
        const auto tenant = one.held.tenant;
        return pass_on<suspect_cleared>(self, tenant, std::move(one));
      },
      [self](hints_missed missed) { return self->delegate(self->state.reaper, missed); },
      [self](const courier_lost& lost) {
        for (auto& [tenant, one] : self->state.branches)
          if (one.dispatcher) tell(self, one.dispatcher, lost);
      },
      [self](const may_retire& who) { self->state.branches.erase(who.tenant); },
      [self](retry_due) { fill_vacancies(self); },
      [self](const orderly_stop& command) { return stop(self, command); },
  };
}

} // namespace arauto
