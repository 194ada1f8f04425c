// A dispatcher is one tenant's window on this node: it claims no more than its room, starts a
// delivery for each lease, renews what runs, and offers the front what is free. Born at the first
// work, leaves when idle.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/crash_window.hpp"
#include "actors/house.hpp"
#include "actors/lane.hpp"
#include "actors/protocol.hpp"

namespace arauto {

struct dispatcher_memory {
  using steady = std::chrono::steady_clock;

  struct running {
    storage::lease held;
    delivery_actor actor;
    keeper_actor keeper; // whom it asks
    steady::time_point since;
    bool in_window = true;                                      // a suspect takes no place
    caf::typed_response_promise<suspect_cleared> suspect_asker; // pending only for a suspect
  };

  std::string name; // dispatcher/acme
  house_ptr house;
  tenant_id tenant;
  supervisor_actor supervisor;
  colleagues staff;
  std::map<channel, lane> lanes;
  std::unordered_map<caf::actor_id, running> deliveries;
  crash_window crashes;
  std::size_t next_keeper = 0;
  int idle_rounds = 0;
  bool leaving = false;  // offers nothing any more
  bool retiring = false; // the supervisor sends nothing any more
  bool stopping = false;
  std::map<std::uint64_t, storage::lease> releasing; // on their way back, by number
  std::uint64_t release_number = 0;
  bool retired = false; // nobody knows it any more: goes when nothing is left
  std::vector<caf::typed_response_promise<drained>> stop_askers;
};

dispatcher_actor::behavior_type
dispatcher(dispatcher_actor::stateful_pointer<dispatcher_memory> self, house_ptr house,
           tenant_id tenant, supervisor_actor supervisor, colleagues staff);

} // namespace arauto
