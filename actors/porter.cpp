#include "actors/porter.hpp"

#include <algorithm>

#include "storage/log.hpp"

namespace arauto {

namespace {

using self_ptr = porter_actor::stateful_pointer<porter_memory>;

// How long it may be deaf to its mailbox, where the word to end comes.
constexpr std::chrono::milliseconds slice{200};
constexpr std::chrono::milliseconds again_after{1'000};

void hear_nothing(self_ptr self) {
  auto& s = self->state;
  if (std::exchange(s.hears, false)) log::warn("porter_deaf", {});
  self->delayed_send(self, std::min(s.house->settings.poll, again_after), listen_due{});
}

void pass_on(self_ptr self, const storage::heard& heard) {
  auto& s = self->state;
  if (heard.anew) tell(self, s.supervisor, hints_missed{});
  for (const auto& tenant : heard.tenants)
    for (auto via : s.house->served)
      tell(self, s.supervisor, work_ready{tenant, via});
}

void listen(self_ptr self) {
  auto& s = self->state;
  const auto heard = s.notices->wait(slice);
  if (!heard) return hear_nothing(self);
  if (heard->anew) {
    s.hears = true;
    s.house->numbers.listening_anew();
  }
  s.house->numbers.noticed(heard->notices);
  if (heard->queue_used >= 0) s.house->numbers.notification_queue(heard->queue_used);
  pass_on(self, *heard);
  self->send(self, listen_due{});
}

} // namespace

porter_actor::behavior_type porter(self_ptr self, house_ptr house, supervisor_actor supervisor) {
  keep_exceptions_quiet(self);
  auto& s = self->state;
  s.house = std::move(house);
  s.supervisor = std::move(supervisor);
  s.notices = std::make_unique<storage::notices>(s.house->settings.database);
  self->send(self, listen_due{});
  return {
      [self](listen_due) { listen(self); },
  };
}

} // namespace arauto
