// One delivery from lease to result, one step after the other: slot -> permit -> send -> settle,
// then gone. Everything it may rely on is in its lease and in the permit's answer. When a colleague
// is replaced, what was asked of the old one is asked again where that is safe.
//
// A push asks for a slot at the account of each kind of device that is due, and the first that has
// one gets this attempt: its devices are sent to side by side, each answer but the last is noted at
// once, and the settlement says what the whole came to (storage/model/targets.hpp). So an account
// that is paused holds up its own devices only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "actors/house.hpp"
#include "actors/protocol.hpp"

namespace arauto {

struct delivery_memory {
  static inline const char* name = "delivery";
  enum class step { waiting_for_slot, asking_permit, sending, settling };

  house_ptr house;
  storage::lease held;
  keeper_actor keeper;
  registrar_actor registrar;
  dispatcher_actor dispatcher; // told of its attempt when it is a suspect
  step at = step::waiting_for_slot;
  std::uint64_t question = 0;     // the newest; answers to older ones count no more
  std::uint64_t deserted_at = 0;  // the question whose receiver is gone
  storage::settlement settlement; // what is being settled
  std::chrono::steady_clock::time_point trusted_until{};
  std::vector<door_ptr> asked; // for a slot, each once
  std::size_t closed_outlets = 0;
  door_ptr door; // that gave the slot
  outlet through;
  send_facts facts;
  struct one_send { // a mail is one without a device
    target_facts target;
    std::optional<outcome> said;
  };
  std::vector<one_send> sends;
  std::size_t unanswered = 0;
  bool asked_to_send = false; // from here on a crash is doubt
};

// Ends with no reason when it has done what it could; with crashed_before_send or crashed_in_send
// when it threw.
delivery_actor::behavior_type delivery(delivery_actor::stateful_pointer<delivery_memory> self,
                                       house_ptr house, storage::lease held, keeper_actor keeper,
                                       registrar_actor registrar, dispatcher_actor dispatcher);

// One line for each settlement.
void log_settled(const delivery_memory& s, const storage::settlement& what,
                 const storage::settled& answer);

// Said by its dispatcher: one line for each death.
void log_crash(const storage::lease& held, const caf::error& reason, std::size_t restarts);

} // namespace arauto
