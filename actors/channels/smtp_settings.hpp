// What an SMTP account is made of. Addresses and secrets in here are never logged.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace arauto::channels {

enum class tls_mode : std::uint8_t {
  off,
  opportunistic, // STARTTLS when offered, unverified: better than nothing, and no password goes
                 // over it
  required,      // STARTTLS, verified, or no conversation
  implicit,      // TLS from the first byte (port 465), verified
};

struct smtp_settings {
  std::string host;
  std::uint16_t port = 25;
  tls_mode tls = tls_mode::required;
  std::string ca_file; // PEM; empty: the system's authorities

  std::string user; // empty: no AUTH
  std::string password;
  bool auth_without_tls = false; // only for a peer on the same machine

  std::string helo_name; // empty: the sender's domain
  std::string sender_address;
  std::string sender_name;
  std::string message_id_domain; // empty: the sender's domain

  std::size_t connections_max = 32;
  std::size_t messages_max = 1'000;                  // on one connection
  std::chrono::milliseconds connect_timeout{10'000}; // look-up and TCP
  std::chrono::milliseconds command_timeout{
      30'000}; // each reply before the content, and the TLS handshake
  std::chrono::milliseconds message_timeout{120'000}; // from MAIL to the final dot
  std::chrono::milliseconds answer_timeout{
      300'000}; // after the final dot (RFC 5321 4.5.3.2.6 asks for patience)
  std::chrono::milliseconds idle_timeout{30'000};
};

} // namespace arauto::channels
