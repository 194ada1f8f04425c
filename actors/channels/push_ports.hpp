// The ports to the push providers. Each owns one HTTP client, and so one I/O thread, on which
// answers come. A stream that the server refused unread goes again, a few times; a token that the
// provider does not know is renewed once and the same send goes again, because that answer proves
// that nothing was taken. Nothing else is ever sent twice here.
#pragma once

#include <memory>

#include "actors/channels/account_forms.hpp"

namespace arauto::channels {

std::unique_ptr<port> make_fcm_port(fcm_account account, const port_means& means);
std::unique_ptr<port> make_apns_port(apns_account account, const port_means& means);
std::unique_ptr<port> make_web_push_port(web_push_account account, const port_means& means);

// A message to nobody, by whose refusal a provider shows that it let us in.
composed fcm_knock();
composed apns_knock(const apns_account& account);

} // namespace arauto::channels
