// A message in Web Push's form (RFC 8030): JSON for the site's service worker, sealed for the
// browser, and headers for the push service between. Pure: chance is an argument.
#pragma once

#include <functional>
#include <string>

#include "actors/channels/port.hpp"

namespace arauto::channels {

// The service worker gets {title, body, image, link, data, tag, event_id}. bad_input: as read_push
// and fit_push; endpoint_refused (storage/model/endpoint.hpp), keys_unusable.
result<composed> compose_web_push(const message& what, bool private_endpoints,
                                  const std::function<std::string(std::size_t)>& random_bytes);

// Scheme, host and port of an endpoint, in lower case, the usual port left out (RFC 6454 6.2);
// empty when it is no address with https or http.
std::string origin_of(const std::string& endpoint);

} // namespace arauto::channels
