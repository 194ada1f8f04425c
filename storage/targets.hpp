// The devices of pushes, inside the transactions of deliveries.cpp; for that file only.
#pragma once

#include <vector>

#include "storage/deliveries.hpp"

namespace arauto::storage {

// Completes the facts of pushes that may begin: whom this attempt addresses, how the others stand.
void address_targets(session::transaction& t, std::vector<permit>& permits);

// Before the settlements themselves.
void tell_targets(session::transaction& t, const std::vector<settlement>& asked);

} // namespace arauto::storage
