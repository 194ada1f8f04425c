// A lease that nobody will run, or whose permit nobody knows of, goes back to due as if it had
// never been claimed. Only for what certainly was not sent.
#pragma once

#include <caf/all.hpp>

#include "actors/house.hpp"
#include "actors/protocol.hpp"

namespace arauto {

inline storage::settlement released(const storage::lease& held) {
  storage::settlement back;
  back.key = held.key;
  back.held = held.held;
  back.tenant = held.tenant;
  back.decided = {state::pending, std::chrono::milliseconds{0}, false, {}};
  back.what.said = verdict::not_begun;
  back.attempted = false;
  back.given_back = true;
  return back;
}

// A worker was lost over it before its attempt: counted, because two of them make a suspect.
inline storage::settlement lost(const storage::lease& held, plan decided) {
  auto what = released(held);
  what.lost = true;
  what.decided = std::move(decided);
  return what;
}

// For leases that could not be handed to anybody; when this is lost too, their end decides.
template <class Self>
void release(Self* self, const keeper_actor& keeper, const storage::lease& held) {
  self->request(keeper, caf::infinite, settle_attempt{released(held)})
      .then([](const storage::settled&) {}, [](const caf::error&) {});
}

// Slots that a delivery had asked for and can give back no more.
template <class Self>
void return_slots(Self* self, const house& of, const storage::lease& held) {
  for (const auto& one : held.outlets)
    if (const auto door = of.accounts.door_of(held.tenant, one))
      tell(self, door->courier, return_slot{held.tenant, storage::as_held(held)});
}

} // namespace arauto
