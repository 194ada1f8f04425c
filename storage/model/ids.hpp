// Identities. Each is a type of its own, because two strings side by side will be swapped one day.
// All are plain values; none is checked here: the doors (http/, SQL) check shape, the database
// checks existence.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "storage/model/channel.hpp"

namespace arauto {

template <class Tag>
struct named_text {
  std::string text;
  friend bool operator==(const named_text& a, const named_text& b) { return a.text == b.text; }
  friend bool operator!=(const named_text& a, const named_text& b) { return a.text != b.text; }
  friend bool operator<(const named_text& a, const named_text& b) { return a.text < b.text; }
};

using tenant_id = named_text<struct tenant_tag>; // short name chosen by the operator: acme
using user_id = named_text<struct user_tag>;     // the tenant's own name for a person
using event_id = named_text<struct event_tag>;   // UUIDv7 (RFC 9562), lower case, 36 characters
using node_id = named_text<struct node_tag>;     // UUIDv7 of one run of one process
using operation_id =
    named_text<struct operation_tag>; // the client's name for one operation, 1-255 bytes

// The fence: grows by one with every claim of a delivery, and every later write must show it.
struct lease_token {
  std::int64_t number = 0;
  friend bool operator==(lease_token a, lease_token b) { return a.number == b.number; }
  friend bool operator!=(lease_token a, lease_token b) { return a.number != b.number; }
};

struct delivery_key {
  event_id event;
  channel via = channel::email;
  friend bool operator==(const delivery_key& a, const delivery_key& b) {
    return a.via == b.via && a.event == b.event;
  }
  friend bool operator<(const delivery_key& a, const delivery_key& b) {
    return std::tie(a.event, a.via) < std::tie(b.event, b.via);
  }
};

} // namespace arauto
