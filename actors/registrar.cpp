#include "actors/registrar.hpp"

#include <algorithm>

#include "actors/courier.hpp"
#include "storage/log.hpp"

namespace arauto {

namespace {

using self_ptr = registrar_actor::stateful_pointer<registrar_memory>;
using storage::account_place;

constexpr std::chrono::seconds look_at_it_again{10};  // one that could not be opened
constexpr std::chrono::milliseconds first_pause{100}; // after a crash of its courier
constexpr std::chrono::milliseconds longest_pause{5'000};

const keeper_actor& some_keeper(self_ptr self) {
  auto& s = self->state;
  return s.keepers[s.next_keeper++ % s.keepers.size()];
}

void note_pause(self_ptr self, const account_place& which, bool is_paused) {
  auto& s = self->state;
  const bool changed =
      is_paused ? s.paused.emplace(which.id, which.of.via).second : s.paused.erase(which.id) > 0;
  if (changed) s.house->numbers.account_paused(which.of.via, is_paused ? 1 : -1);
}

// -- opening --------------------------------------------------------------------

void answer_all(registrar_memory::account& of, errc why) {
  for (auto& asker : std::exchange(of.waiting, {}))
    if (why == errc::none)
      asker.deliver(courier_ready{});
    else
      asker.deliver(caf::make_error(why));
}

// Nobody tries again for a while, unless the account changes.
void cannot_open(self_ptr self, const account_place& which, const failure& why) {
  auto& one = self->state.accounts[which.id];
  log::error("account_unusable", {{"tenant", which.tenant.text},
                                  {"provider", spelled(which.of.via)},
                                  {"app", which.of.app},
                                  {"reason", why.text}});
  one.closed_until = self->clock().now() + look_at_it_again;
  one.why = why.code;
  one.version = which.version;
  note_pause(self, which, true);
  answer_all(one, why.code);
}

void start_courier(self_ptr self, account_door door) {
  auto& s = self->state;
  const auto me = caf::actor_cast<registrar_actor>(self);
  door.courier = self->spawn<caf::monitored>(courier, s.house, door, me);
  const auto made = std::make_shared<const account_door>(std::move(door));
  s.couriers[caf::actor_cast<caf::actor_addr>(made->courier)] = made;
  s.house->accounts.open(made);
}

void open(self_ptr self, const storage::account_contents& whole) {
  auto& s = self->state;
  auto& one = s.accounts[whole.place.id];
  auto port = std::exchange(one.port, nullptr);
  if (!port || one.version != whole.place.version) {
    auto made = s.house->means.open_port(whole);
    if (!made) return cannot_open(self, whole.place, made.why());
    port = std::move(*made);
  }
  note_pause(self, whole.place, false);
  start_courier(self, {whole.place, name_of(whole.place), std::move(port), {}});
  answer_all(one, errc::none);
}

void read_and_open(self_ptr self, const account_place& which) {
  const auto& house = self->state.house->means.of_house;
  const auto own = std::find_if(house.begin(), house.end(),
                                [&](const auto& one) { return one.place.id == which.id; });
  if (own != house.end()) return open(self, *own);
  self->request(some_keeper(self), caf::infinite, find_account{which.id})
      .then([self](const account_found& found) { open(self, found.whole); },
            [self, which](const caf::error& why) {
              if (why == errc::bad_input)
                return cannot_open(self, which, {errc::bad_input, "sealed under another key"});
              const bool removed = why == errc::not_found; // a moment ago
              answer_all(self->state.accounts[which.id],
                         removed ? errc::not_found : errc::unavailable);
            });
}

caf::result<courier_ready> want(self_ptr self, const want_courier& what) {
  auto& s = self->state;
  if (!s.read_once) {
    s.early.push_back({what, self->make_response_promise<courier_ready>()});
    return s.early.back().who;
  }
  const auto which = s.house->accounts.resolve(what.tenant, what.of);
  if (!which) return caf::make_error(errc::not_found);
  if (s.house->accounts.door_of(which->id)) return courier_ready{};
  auto& one = s.accounts[which->id];
  if (one.version == which->version && self->clock().now() < one.closed_until)
    return caf::make_error(one.why);
  auto promise = self->make_response_promise<courier_ready>();
  one.waiting.push_back(promise);
  if (one.waiting.size() == 1) read_and_open(self, *which);
  return promise;
}

// -- closing --------------------------------------------------------------------

void close(self_ptr self, const std::string& account) {
  auto& s = self->state;
  const auto door = s.house->accounts.door_of(account);
  if (!door) return;
  s.house->accounts.close(account);
  tell(self, door->courier, stand_down{});
}

// The next message opens it again, after a growing pause, with the same port: that may still speak.
// One that crashes too often is left alone for a while, as a tenant's branch is.
void courier_crashed(self_ptr self, const account_door& door) {
  auto& s = self->state;
  const auto& rules = s.house->settings;
  auto& one = s.accounts[door.place.id];
  const auto crashes = one.crashes.count(self->clock().now(), rules.restart_window);
  const bool too_often = crashes > static_cast<std::size_t>(rules.restarts_max);
  log::error(too_often ? "account_closed" : "actor_died",
             {{"actor", "courier/" + door.name}, {"reason", "exception"}, {"restarts", crashes}});
  s.house->numbers.restarted();
  const auto pause = std::min<std::chrono::milliseconds>(
      first_pause * (1 << std::min<std::size_t>(crashes - 1, 6)), longest_pause);
  one.closed_until = self->clock().now() + (too_often ? rules.restart_window : pause);
  one.why = errc::unavailable;
  one.version = door.place.version;
  one.port = door.port;
  if (too_often) note_pause(self, door.place, true);
}

void courier_down(self_ptr self, const caf::down_msg& down) {
  auto& s = self->state;
  const auto found = s.couriers.find(down.source);
  if (found == s.couriers.end()) return;
  const auto door = std::move(found->second);
  s.couriers.erase(found);
  const bool standing = s.house->accounts.door_of(door->place.id) == door;
  if (standing) s.house->accounts.close(door->place.id);
  if (standing && down.reason)
    courier_crashed(self, *door);
  else
    door->port->stop(self->clock().now());
  if (down.reason) tell(self, s.supervisor, courier_lost{door->place.id});
}

// -- changes --------------------------------------------------------------------

void learn(self_ptr self, const account_place& changed) {
  auto& s = self->state;
  s.newest = std::max(s.newest, changed.version);
  s.house->accounts.write(changed);
  const auto door = s.house->accounts.door_of(changed.id);
  if (door && door->place.version != changed.version) close(self, changed.id);
  note_pause(self, changed, false); // what was paused was another version
}

void look_at_changes(self_ptr self);

void read_changes(self_ptr self, const accounts_found& found) {
  auto& s = self->state;
  for (const auto& one : found.changed)
    learn(self, one);
  if (!found.changed.empty()) return look_at_changes(self); // there may be more
  s.read_once = true;
  for (auto& one : std::exchange(s.early, {})) {
    auto promise = std::move(one.who);
    self->request(caf::actor_cast<registrar_actor>(self), caf::infinite, std::move(one.what))
        .then([promise](courier_ready ready) mutable { promise.deliver(ready); },
              [promise](const caf::error& why) mutable { promise.deliver(why); });
  }
  self->delayed_send(self, s.house->settings.poll, poll_due{});
}

void look_at_changes(self_ptr self) {
  auto& s = self->state;
  self->request(some_keeper(self), caf::infinite, find_accounts{s.newest})
      .then([self](const accounts_found& found) { read_changes(self, found); },
            [self](const caf::error&) { // away, or its successor will be introduced
              self->delayed_send(self, self->state.house->settings.poll, poll_due{});
            });
}

// What a registrar before this one had opened: nobody knows how it fares, so it is opened anew.
void close_old_doors(self_ptr self) {
  auto& s = self->state;
  for (const auto& door : s.house->accounts.doors()) {
    self->monitor(door->courier);
    s.couriers[caf::actor_cast<caf::actor_addr>(door->courier)] = door;
    close(self, door->place.id);
  }
}

// Only of the version in use: an older one's courier may still hear answers.
void hear_of(self_ptr self, const account_fares& word) {
  const auto door = self->state.house->accounts.door_of(word.which.id);
  if (!door || door->place.version != word.which.version) return;
  note_pause(self, word.which, !word.cause.empty());
  if (!word.which.tenant.text.empty()) tell(self, some_keeper(self), word);
}

} // namespace

registrar_actor::behavior_type registrar(self_ptr self, house_ptr house,
                                         supervisor_actor supervisor, colleagues staff) {
  keep_exceptions_quiet(self);
  auto& s = self->state;
  s.house = std::move(house);
  s.supervisor = std::move(supervisor);
  s.keepers = std::move(staff.work_keepers);
  for (const auto& one : s.house->means.of_house)
    s.house->accounts.write(one.place);
  self->set_down_handler([self](caf::down_msg& down) { courier_down(self, down); });
  self->set_exit_handler([self](caf::exit_msg& word) {
    for (const auto& [address, door] : self->state.couriers)
      self->send_exit(door->courier, word.reason);
    self->quit(word.reason);
  });
  close_old_doors(self);
  look_at_changes(self);
  return {
      [self](const want_courier& w) { return want(self, w); },
      [self](const account_fares& word) { hear_of(self, word); },
      [self](poll_due) { look_at_changes(self); },
      [self](const colleagues& staff) { self->state.keepers = staff.work_keepers; },
  };
}

} // namespace arauto
