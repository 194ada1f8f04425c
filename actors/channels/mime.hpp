// Builds an e-mail: RFC 5322 headers, text and HTML as quoted-printable UTF-8 (7-bit, so no server
// needs to offer 8BITMIME), CRLF only. The same event and channel always give the same Message-ID.
// Pure; any number of threads may compose at once.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "actors/channels/port.hpp"
#include "storage/model/address.hpp"

namespace arauto::channels {

// Time as people know it, for the Date header; steady time is for waiting.
using wall_clock = std::function<std::chrono::system_clock::time_point()>;

// Who an account sends as, checked and formatted once.
struct mail_account {
  email_address sender;
  std::string from_line;
  std::string message_id_domain;
};

// bad_input: address_unusable, header_unsafe. An empty domain means the sender's own.
result<mail_account> make_mail_account(std::string_view sender_address,
                                       std::string_view sender_name,
                                       std::string_view message_id_domain);

// bad_input: address_unusable, header_unsafe, sender_unusable, subject_missing, body_missing,
// body_not_utf8, wrong_channel. A message with one body gets a final newline if it had none; of two
// bodies each byte is kept, except that line ends become CRLF.
result<composed> compose_mail(const message& what, const mail_account& account,
                              std::chrono::system_clock::time_point now);

// "{event}.{channel}": the name of a delivery towards providers, and of its file. bad_input
// header_unsafe unless it is made of letters, digits and hyphens.
result<std::string> delivery_name(const delivery_key& key);

} // namespace arauto::channels
