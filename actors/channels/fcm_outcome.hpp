// The whole table from FCM's words to ours. Pure. Only UNREGISTERED, a foreign sender and a 400
// that is about the token end a token; a 400 that is about anything else is our payload's fault
// (S31).
#pragma once

#include "actors/channels/http_outcome.hpp"

namespace arauto::channels {

outcome outcome_of_fcm(const http_answer& said);

// FCM did not know our access token: nothing was taken, a fresh one may do better.
bool wants_fresh_token(const http_answer& said);

} // namespace arauto::channels
