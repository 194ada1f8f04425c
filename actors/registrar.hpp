// The registrar knows the accounts at providers: those of the house, and those of the tenants as
// their table says, which it reads at its start and looks at once a poll. It opens an account when
// a message first wants to leave through it, with a port and a courier of its own; it closes one
// that has changed, was removed, or was not used for long. An account that cannot be opened, or
// whose courier keeps crashing, concerns nobody else. Detached: opening and closing ports blocks.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "actors/crash_window.hpp"
#include "actors/house.hpp"
#include "actors/protocol.hpp"

namespace arauto {

struct registrar_memory {
  static inline const char* name = "registrar";
  using steady = std::chrono::steady_clock;
  using asker = caf::typed_response_promise<courier_ready>;

  struct question {
    want_courier what;
    asker who;
  };
  // What is known of one account besides its door, by its id.
  struct account {
    std::vector<asker> waiting; // while it is being opened
    crash_window crashes;
    steady::time_point closed_until{}; // crashed too often, or cannot be opened
    errc why = errc::unavailable;
    std::int64_t version = 0;             // that this was learnt of
    std::shared_ptr<channels::port> port; // of a courier that crashed
  };

  house_ptr house;
  supervisor_actor supervisor;
  std::vector<keeper_actor> keepers;
  std::size_t next_keeper = 0;
  bool read_once = false; // until then everybody waits
  std::vector<question> early;
  std::int64_t newest = 0; // version up to which the table was read
  std::map<std::string, account> accounts;
  std::map<caf::actor_addr, door_ptr> couriers;
  std::map<std::string, provider> paused; // by account id
};

registrar_actor::behavior_type registrar(registrar_actor::stateful_pointer<registrar_memory> self,
                                         house_ptr house, supervisor_actor supervisor,
                                         colleagues staff);

} // namespace arauto
