// The front takes notifications and commits them in groups: what comes while one group is being
// committed is the next group, and a lone one goes at once. It holds at most accepts_max of them;
// beyond that it refuses, and nothing waits anywhere else. Where a dispatcher offered room,
// deliveries are born leased and handed over after the COMMIT.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "actors/house.hpp"
#include "actors/protocol.hpp"
#include "actors/window.hpp"

namespace arauto {

struct front_memory {
  static inline const char* name = "front";

  struct asker {
    notification asked;
    caf::typed_response_promise<accept_answer> promise;
    std::chrono::steady_clock::time_point since;
  };

  house_ptr house;
  supervisor_actor supervisor;
  colleagues staff;
  window accepts; // promises not yet answered
  std::deque<asker> waiting;
  struct group {
    keeper_actor keeper;
    std::vector<asker> askers;
  };
  std::map<std::uint64_t, group> open; // by number
  std::uint64_t group_number = 0;
  std::map<std::pair<tenant_id, channel>, std::int32_t>
      room; // offered by dispatchers, not yet used
  bool flush_asked = false;
};

front_actor::behavior_type front(front_actor::stateful_pointer<front_memory> self, house_ptr house,
                                 supervisor_actor supervisor, colleagues staff);

} // namespace arauto
