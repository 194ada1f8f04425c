// The whole table from APNs' words to ours. Pure.
#pragma once

#include "actors/channels/http_outcome.hpp"

namespace arauto::channels {

outcome outcome_of_apns(const http_answer& said);

// Our token was too old for Apple: nothing was taken, a new one may do better.
bool wants_new_jwt(const http_answer& said);

} // namespace arauto::channels
