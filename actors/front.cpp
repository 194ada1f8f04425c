#include "actors/front.hpp"

#include <algorithm>

#include "actors/release.hpp"

namespace arauto {

namespace {

using self_ptr = front_actor::stateful_pointer<front_memory>;

void ask_flush(self_ptr self) {
  if (!std::exchange(self->state.flush_asked, true)) self->send(self, flush_due{});
}

caf::result<accept_answer> take(self_ptr self, submit_notification& what) {
  auto& s = self->state;
  if (s.house->stopping) return caf::make_error(errc::stopping);
  if (s.accepts.room() == 0) return caf::make_error(errc::no_room);
  s.accepts.take();
  auto promise = self->make_response_promise<accept_answer>();
  s.waiting.push_back({std::move(what.asked), promise, self->clock().now()});
  ask_flush(self);
  return promise;
}

template <class Answer>
void answer(self_ptr self, front_memory::asker& one, Answer&& what) {
  self->state.accepts.give_back();
  one.promise.deliver(std::forward<Answer>(what));
}

// Takes a place from the room a dispatcher offered; without one the delivery is born pending.
std::vector<channel> lease_at_once(self_ptr self, const notification& asked) {
  std::vector<channel> leased;
  if (!asked.send_at.empty()) return leased;
  for (auto via : self->state.house->served) {
    const auto offered = self->state.room.find({asked.tenant, via});
    if (offered == self->state.room.end() || offered->second == 0) continue;
    --offered->second;
    leased.push_back(via);
  }
  return leased;
}

// Where nobody may run them (the tenant's branch is stopped) they go back to due.
void hand_over(self_ptr self, const leases_granted& granted) {
  self->request(self->state.supervisor, caf::infinite, granted)
      .then([] {},
            [self, granted](const caf::error& why) {
              if (why != errc::unavailable) return; // somebody had them: their leases decide
              for (const auto& held : granted.leases)
                release(self, self->state.staff.work_keepers.front(), held);
            });
}

// After the COMMIT: born leased go to their dispatcher, born pending are hinted at, unused room
// comes back.
void hand_over(self_ptr self, const std::vector<front_memory::asker>& group,
               const accepted_group& answers) {
  auto& s = self->state;
  std::map<tenant_id, leases_granted> granted;
  std::map<std::pair<tenant_id, channel>, work_ready> hints;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto& asked = group[i].asked;
    const auto& one = answers.ones[i];
    const bool created = one.failed == errc::none && one.answer.verdict == acceptance::created;
    for (auto via : asked.lease_at_once) {
      const auto born =
          std::find_if(one.answer.deliveries.begin(), one.answer.deliveries.end(),
                       [&](const auto& d) { return d.via == via && d.now == state::leased; });
      if (created && born != one.answer.deliveries.end())
        granted[asked.tenant].leases.push_back(
            {{one.answer.id, via}, {1}, asked.tenant, asked.urgency, 0, born->outlets});
      else
        ++s.room[{asked.tenant, via}];
    }
    if (created && asked.send_at.empty())
      for (const auto& d : one.answer.deliveries)
        if (d.now == state::pending) hints[{asked.tenant, d.via}] = {asked.tenant, d.via};
  }
  for (auto& [tenant, leases] : granted)
    hand_over(self, leases);
  for (auto& [key, hint] : hints)
    tell(self, s.supervisor, hint);
}

void flush(self_ptr self);

void group_committed(self_ptr self, std::uint64_t number, accepted_group& answers) {
  auto& s = self->state;
  const auto found = s.open.find(number);
  if (found == s.open.end()) return; // answered already, when its keeper was replaced
  auto group = std::move(found->second.askers);
  s.open.erase(found);
  hand_over(self, group, answers);
  for (std::size_t i = 0; i < group.size(); ++i) {
    auto& one = answers.ones[i];
    if (one.failed != errc::none) {
      answer(self, group[i], caf::make_error(one.failed));
    } else {
      s.house->numbers.accepted(one.answer.verdict);
      answer(self, group[i], std::move(one.answer));
    }
  }
  flush(self);
}

void group_failed(self_ptr self, std::uint64_t number) {
  auto& s = self->state;
  const auto found = s.open.find(number);
  if (found == s.open.end()) return;
  auto group = std::move(found->second.askers);
  s.open.erase(found);
  for (auto& one : group) {
    for (auto via : one.asked.lease_at_once)
      ++s.room[{one.asked.tenant, via}];
    answer(self, one, caf::make_error(errc::unavailable));
  }
  flush(self);
}

void give_up_old(self_ptr self) {
  auto& s = self->state;
  const auto oldest = self->clock().now() - s.house->settings.accept_patience;
  while (!s.waiting.empty() && s.waiting.front().since < oldest) {
    answer(self, s.waiting.front(), caf::make_error(errc::unavailable));
    s.waiting.pop_front();
  }
}

// One group per accept keeper at a time; what comes meanwhile collects.
void flush(self_ptr self) {
  auto& s = self->state;
  give_up_old(self);
  while (!s.waiting.empty() && s.open.size() < s.staff.accept_keepers.size()) {
    std::vector<front_memory::asker> group;
    commit_accepted command;
    while (!s.waiting.empty() && group.size() < s.house->settings.accept_batch_max) {
      auto one = std::move(s.waiting.front());
      s.waiting.pop_front();
      one.asked.lease_at_once = lease_at_once(self, one.asked);
      command.group.push_back(one.asked);
      group.push_back(std::move(one));
    }
    const auto number = ++s.group_number;
    const auto& keeper = s.staff.accept_keepers[number % s.staff.accept_keepers.size()];
    s.open.emplace(number, front_memory::group{keeper, std::move(group)});
    self->request(keeper, caf::infinite, std::move(command))
        .then([self, number](accepted_group& answers) { group_committed(self, number, answers); },
              [self, number](const caf::error&) { group_failed(self, number); });
  }
}

// A keeper died: its groups will not be answered. They may have committed; the same operation sent
// again finds out.
void introduce(self_ptr self, const colleagues& staff) {
  auto& s = self->state;
  s.staff = staff;
  std::vector<std::uint64_t> orphaned;
  for (const auto& [number, group] : s.open)
    if (std::count(staff.accept_keepers.begin(), staff.accept_keepers.end(), group.keeper) == 0)
      orphaned.push_back(number);
  for (const auto number : orphaned)
    group_failed(self, number);
  flush(self);
}

room_returned withdraw(self_ptr self, const withdraw_room& whose) {
  const auto offered = self->state.room.find({whose.tenant, whose.via});
  if (offered == self->state.room.end()) return {0};
  const auto unused = offered->second;
  self->state.room.erase(offered);
  return {unused};
}

} // namespace

front_actor::behavior_type front(self_ptr self, house_ptr house, supervisor_actor supervisor,
                                 colleagues staff) {
  keep_exceptions_quiet(self);
  auto& s = self->state;
  s.house = std::move(house);
  s.supervisor = std::move(supervisor);
  s.staff = std::move(staff);
  s.accepts = window{s.house->settings.accepts_max};
  return {
      [self](submit_notification& what) { return take(self, what); },
      [self](const room_offered& o) {
        self->state.room[{o.tenant, o.via}] += o.deliveries;
      },
      [self](const withdraw_room& w) { return withdraw(self, w); },
      [self](flush_due) {
        self->state.flush_asked = false;
        flush(self);
      },
      [self](const colleagues& staff) { introduce(self, staff); },
  };
}

} // namespace arauto
