// One delivery from lease to result, one step after the other: slot -> permit -> send -> settle,
// then gone. Everything it may rely on is in its lease and in the permit's answer. One question is
// open at a time; when a colleague is replaced, what was asked of the old one is asked again where
// that is safe.
#pragma once

#include <chrono>
#include <cstdint>

#include "actors/house.hpp"
#include "actors/protocol.hpp"

namespace arauto {

struct delivery_memory {
  static inline const char* name = "delivery";
  enum class step { waiting_for_slot, asking_permit, sending, settling };

  house_ptr house;
  storage::lease held;
  keeper_actor keeper;
  courier_actor courier;
  dispatcher_actor dispatcher; // told of its attempt when it is a suspect
  step at = step::waiting_for_slot;
  std::uint64_t question = 0;     // the newest; answers to older ones count no more
  std::uint64_t deserted_at = 0;  // the question whose receiver is gone
  storage::settlement settlement; // what is being settled
  std::chrono::steady_clock::time_point trusted_until{};
  send_facts facts;
};

// Ends with no reason when it has done what it could; with crashed_before_send or crashed_in_send
// when it threw.
delivery_actor::behavior_type delivery(delivery_actor::stateful_pointer<delivery_memory> self,
                                       house_ptr house, storage::lease held, keeper_actor keeper,
                                       courier_actor courier, dispatcher_actor dispatcher);

// Said by its dispatcher: one line for each death.
void log_crash(const storage::lease& held, const caf::error& reason, std::size_t restarts);

} // namespace arauto
