// What a delivery makes of the facts it was given: plans, settlements, messages. Says nothing to
// anybody; used by delivery.cpp only.
#pragma once

#include <vector>

#include "actors/delivery.hpp"

namespace arauto {

outcome outcome_of(verdict said, const char* cause);

// Of the whole delivery, or of one of its targets.
plan planned(const delivery_memory& s, const outcome& said);

// An attempt nothing of which reached a provider is given back, a deferral counted.
storage::settlement settlement_of(const delivery_memory& s, const outcome& said, plan decided);

// One that has been answered.
storage::target_told told(const delivery_memory& s, const delivery_memory::one_send& one);

message message_for(const delivery_memory& s, const std::vector<part>& parts,
                    const target_facts& target);

} // namespace arauto
