// A courier owns the conversations with one provider account: one port, a fair queue for its slots,
// a breaker. Waiting here costs no attempt. Slots are given to deliveries that then ask their
// permit and send at once, to all their devices of this account.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "actors/fair_queue.hpp"
#include "actors/house.hpp"
#include "actors/protocol.hpp"
#include "storage/model/breaker.hpp"
#include "storage/model/slot_pace.hpp"
#include "storage/model/token_wave.hpp"

namespace arauto {

struct courier_memory {
  using steady = std::chrono::steady_clock;

  struct waiter {
    storage::held_delivery whose;
    caf::typed_response_promise<slot_granted> asker;
  };
  struct sending {
    caf::typed_response_promise<outcome> asker;
    steady::time_point since;
  };
  // By key and token: a resend may meet the send that was given up for lost.
  using holder = std::pair<delivery_key, std::int64_t>;
  using one_send = std::pair<holder, std::string>; // and by device

  std::string name; // courier/acme/fcm
  house_ptr house;
  storage::account_place place;
  std::shared_ptr<channels::port> port;
  registrar_actor registrar; // told of pauses
  fair_queue<waiter> queue;
  std::map<holder, steady::time_point> granted; // given, not yet sent
  std::map<one_send, sending> open;             // with the port
  breaker account;
  token_wave wave;
  std::optional<holder> probe; // the only one that may send while the account is paused; no more
                               // once its word about a token was believed in a wave
  slot_pace pace;
  bool tick_asked = false;
  bool standing_down = false;
  std::size_t counted_waiting = 0; // in the node's number
  int idle_rounds = 0;
};

// `door` without its courier.
courier_actor::behavior_type courier(courier_actor::stateful_pointer<courier_memory> self,
                                     house_ptr house, account_door door, registrar_actor registrar);

} // namespace arauto
