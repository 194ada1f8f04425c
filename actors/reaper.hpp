// The reaper is the net under everything that was forgotten: once a poll it ends leases that ran
// out, finds owned tenants with due work whose hints were lost, runs deliveries that took workers
// down (one at a time), and keeps the node's heartbeat; once a minute it forgets events that are
// old and over. At most one question of each kind is open.
#pragma once

#include <chrono>

#include "actors/house.hpp"
#include "actors/protocol.hpp"

namespace arauto {

struct reaper_memory {
  static inline const char* name = "reaper";
  using steady = std::chrono::steady_clock;

  house_ptr house;
  supervisor_actor supervisor;
  colleagues staff;
  bool reaping = false;
  bool finding = false;
  bool suspecting = false;
  caf::typed_response_promise<drained> stop_asker;
  bool forgetting = false;
  bool was_away = false; // the database, at the last poll
  steady::time_point
      reap_not_before{}; // after it came back: one lease, so that the living can renew
  steady::time_point heartbeat_due{};
  steady::time_point forget_due{};
};

reaper_actor::behavior_type reaper(reaper_actor::stateful_pointer<reaper_memory> self,
                                   house_ptr house, supervisor_actor supervisor, colleagues staff);

} // namespace arauto
