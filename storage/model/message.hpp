// What the permit returns to send with, so that nothing older is used; and what rendering makes of
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/model/channel.hpp"
#include "storage/model/doubt.hpp"
#include "storage/model/ids.hpp"
#include "storage/model/provider.hpp"

namespace arauto {

// One named part of a template (subject, text, html; title, body) with its mustache source or its
// rendered text.
struct part {
  std::string name;
  std::string text;
};

// One device that an attempt addresses: a target of its delivery. token, p256dh and auth are as
// secret as an address.
struct target_facts {
  std::string device_id;    // the tenant's own name for it
  std::string token;        // web_push: the endpoint
  std::string p256dh, auth; // web_push only: the browser's keys, base64url
  // When this very token was registered, as the database wrote it; a token that ended is ended only
  // while this still stands.
  std::string registered_at;
  std::int64_t registered_at_ms = 0; // the same, Unix time
};

// How the delivery's other devices stand: those this attempt does not address.
struct other_targets {
  std::int32_t accepted = 0;
  std::int32_t outstanding = 0; // not tried yet, or to be tried again
  std::int32_t in_doubt = 0;
  std::int64_t due_ms = -1; // from now until the first of them is due; -1: none ever is
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
  priority urgency = priority::normal;
  std::int64_t expires_in_ms = -1;   // from the permit on; -1: it does not expire
  outlet through;                    // of the slot this attempt has
  std::vector<target_facts> targets; // push: the due devices of that outlet, by device_id
  other_targets others;              // push
};

// A message ready for a channel to compose: rendered parts, one recipient.
struct message {
  delivery_key key; // also the identity towards the provider: the same on every attempt (design 5)
  std::string to_address;
  std::string to_name;
  std::string sender_address;
  std::string sender_name;
  std::vector<part> parts;
  priority urgency = priority::normal;
  std::int64_t expires_in_ms = -1; // -1: it does not expire
  std::string app{};               // push: of the outlet
  target_facts target{};           // push
};

} // namespace arauto
