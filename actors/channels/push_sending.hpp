// One send of a push port, and what the three ports do alike.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "actors/channels/account.hpp"
#include "actors/channels/http_client.hpp"

namespace arauto::channels {

struct push_sending {
  composed what;
  port::steady::time_point trusted_until;
  std::function<void(outcome)> answer;
  bool renewed = false; // went again with a new token
  int streams_left = 3; // how often it may go again after a refused stream
};
using push_sending_ptr = std::shared_ptr<push_sending>;

inline push_sending_ptr new_sending(composed what, port::steady::time_point trusted_until,
                                    std::function<void(outcome)> answer) {
  return std::make_shared<push_sending>(
      push_sending{std::move(what), trusted_until, std::move(answer), false, 3});
}

inline http_client_settings wire_settings(const port_means& means) {
  http_client_settings made;
  made.ca_file = means.ca_file;
  made.sends_max = means.sends_max;
  made.connect_timeout = means.connect_timeout;
  made.answer_timeout = means.answer_timeout;
  return made;
}

inline http_request request_of(const push_sending& one, std::string url) {
  http_request made;
  made.url = std::move(url);
  made.headers = one.what.headers;
  made.body = one.what.bytes;
  made.trusted_until = one.trusted_until;
  return made;
}

// The server said that it had not read the stream; true: it goes again.
inline bool goes_again(push_sending& one, const http_answer& said) {
  return said.came_to == http_answer::end::not_begun && said.cause == "refused_stream"
         && one.streams_left-- > 0;
}

inline outcome no_credential() {
  outcome made;
  made.said = verdict::account_refused;
  made.cause = "credential_refused";
  return made;
}

} // namespace arauto::channels
