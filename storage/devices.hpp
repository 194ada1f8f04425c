// Devices of people, by the tenant's own names for them. Within a tenant and app a token is of who
// registered it last; one registration is one transaction. Thread: the session's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "storage/model/ids.hpp"
#include "storage/model/provider.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

constexpr int devices_max = 50;               // that live, of one person
constexpr std::size_t token_bytes_max = 2048; // an endpoint of Web Push is one too

// Its token and keys are as secret as an address: in no log, message of an error or answer.
struct device {
  std::string id; // the tenant's own name for it, 1 to 255 bytes
  outlet of;      // of a push
  std::string token;
  std::string p256dh, auth; // web_push only, base64url
};

struct device_put {
  bool created = false; // it was not there, or had ended
  bool changed = false; // it was there and is another app's or has another token or other keys now
  std::string registered_at; // RFC 3339; each registration is a newer one, the same token's too
};

// Whoever else had the token in this tenant and app has no device of it any more: when this has
// returned, no push for them begins that goes there. not_found: unknown or erased user. no_room:
// devices_max live ones. bad_input: a token that is empty or too long, or the wrong keys.
result<device_put> put_device(session& db, const tenant_id& tenant, const user_id& user,
                              const device& wanted);

// The same, for the same reason, of one that ended before. not_found: unknown.
result<done> end_device(session& db, const tenant_id& tenant, const user_id& user,
                        const std::string& device_id);

struct device_view {
  std::string id;
  outlet of;
  std::string registered_at;        // RFC 3339
  std::string ended_at, end_reason; // empty: it lives
};

// Live ones, and those that ended as long as retention keeps them; at most 200, live ones first.
// not_found: unknown or erased user.
result<std::vector<device_view>> list_devices(session& db, const tenant_id& tenant,
                                              const user_id& user);

} // namespace arauto::storage
