// A courier owns the conversations with one provider account: one port, a fair queue for its slots,
// a breaker. Waiting here costs no attempt. Slots are given to deliveries that then ask their
// permit and send at once.
#pragma once

#include <chrono>
#include <map>
#include <utility>

#include "actors/fair_queue.hpp"
#include "actors/house.hpp"
#include "actors/protocol.hpp"
#include "storage/model/breaker.hpp"
#include "storage/model/slot_pace.hpp"

namespace arauto {

struct courier_memory {
  static inline const char* name = "courier";

  struct waiter {
    storage::held_delivery whose;
    caf::typed_response_promise<slot_granted> asker;
  };
  struct sending {
    caf::typed_response_promise<outcome> asker;
    std::chrono::steady_clock::time_point since;
  };
  // By key and token: a resend may meet the send that was given up for lost.
  using holder = std::pair<delivery_key, std::int64_t>;

  house_ptr house;
  fair_queue<waiter> queue;
  std::map<holder, std::chrono::steady_clock::time_point> granted; // given, not yet sent
  std::map<holder, sending> open;                                  // with the port
  breaker account;
  slot_pace pace;
  bool tick_asked = false;
};

courier_actor::behavior_type courier(courier_actor::stateful_pointer<courier_memory> self,
                                     house_ptr house);

} // namespace arauto
