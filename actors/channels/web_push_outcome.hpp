// The whole table from push services' words to ours. Pure. An endpoint's body is never kept: it
// comes from wherever a browser said (S35).
//
// Endpoints are chosen by strangers, so what one host does must not stop an account's other hosts:
// a host that cannot be reached, or that nobody knows and that refuses our key, is tried again
// later at the cost of an attempt, and is no word about the account.
#pragma once

#include <string>

#include "actors/channels/http_outcome.hpp"

namespace arauto::channels {

// `trusted`: the host is a push service whose word about our key counts.
outcome outcome_of_web_push(const http_answer& said, bool trusted);

// One of the services that browsers use; `origin` as origin_of makes it.
bool is_known_push_service(const std::string& origin);

} // namespace arauto::channels
