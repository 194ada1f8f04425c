// What the permit returns to send with, so that nothing older is used; and what rendering makes of
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/model/doubt.hpp"
#include "storage/model/ids.hpp"

namespace arauto {

// One named part of a template (subject, text, html; title, body) with its mustache source or its
// rendered text.
struct part {
  std::string name;
  std::string text;
};

// Facts read by the permit in the same statement that allowed the attempt.
struct send_facts {
  delivery_key key;
  lease_token held;
  tenant_id tenant;
  std::string to_address; // as the tenant wrote it
  std::string to_name;    // may be empty
  std::string to_digest;  // of the canonical address, 64 hex digits: what a suppression would name
  std::string sender_address; // the tenant's own sender, empty: the account's
  std::string sender_name;
  std::vector<part> parts;   // template sources
  std::string variables;     // JSON object as text
  std::int32_t attempts = 0; // including this one
  std::int32_t deferrals = 0;
  std::int32_t doubts = 0; // how often it was in doubt before
  doubt_choice doubt;      // what the pinned template says
};

// A message ready for a channel to compose: rendered parts, one recipient.
struct message {
  delivery_key key; // also the identity towards the provider: the same on every attempt (design 5)
  std::string to_address;
  std::string to_name;
  std::string sender_address;
  std::string sender_name;
  std::vector<part> parts;
};

} // namespace arauto
