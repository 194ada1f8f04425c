// The supervisor starts everybody, knows everybody, and does no work itself. It restarts only the
// unexpected, with a growing pause, at most restarts_max in restart_window; then it escalates: a
// tenant's branch is left alone for a while, the house collapses (the process must end non-zero).
// Every death is one line in the log.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "actors/crash_window.hpp"
#include "actors/house.hpp"
#include "actors/protocol.hpp"

namespace arauto {

struct supervisor_memory {
  static inline const char* name = "supervisor";
  using steady = std::chrono::steady_clock;

  // One of the permanent staff, and how to start it again.
  struct post {
    std::string name; // keeper/0, registrar, front, reaper
    std::function<caf::actor_addr()> start;
    caf::actor_addr holder;
    crash_window crashes;
    bool vacant = false; // waits for its restart
  };

  struct branch {
    dispatcher_actor dispatcher; // none while the branch is stopped
    crash_window crashes;
    steady::time_point stopped_until{};
  };

  house_ptr house;
  std::function<void(front_actor)> front_started; // tells the office whom to ask
  std::vector<post> posts;
  colleagues staff;
  reaper_actor reaper;
  std::map<tenant_id, branch> branches;
  bool stopping = false;
  std::set<tenant_id> draining;
  caf::typed_response_promise<drained> stop_asker;
};

supervisor_actor::behavior_type
supervisor(supervisor_actor::stateful_pointer<supervisor_memory> self, house_ptr house,
           std::function<void(front_actor)> front_started);

} // namespace arauto
