// Recipients, their preferences, suppressed addresses. Thread: the session's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "storage/events.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

struct recipient {
  user_id user;
  std::string email; // as written; empty: none
  std::string
      email_key; // canonical form (model/address.hpp), what opt-outs and suppressions compare
  std::string name, locale, time_zone;
};

result<done> put_recipient(session& db, const tenant_id& tenant, const recipient& who);
result<recipient> find_recipient(session& db, const tenant_id& tenant,
                                 const user_id& user); // email_key is not read back
// Erases the personal data, stops live deliveries, keeps the tombstone that dedupe and opt-outs
// need.
result<std::vector<stop_view>> erase_recipient(session& db, const tenant_id& tenant,
                                               const user_id& user);

// Said preferences only; what is not said is allowed. types[""] is the answer for every type.
using channel_choices = std::map<channel, bool>;
using preferences = std::map<std::string, channel_choices>; // by type; "" = all types

result<preferences> find_preferences(session& db, const tenant_id& tenant, const user_id& user);

// Replaces the preferences, then stops what they no longer allow; the answer lists each live
// delivery met. When it has returned, no attempt against them begins, except those listed as
// in_flight.
result<std::vector<stop_view>> put_preferences(session& db, const tenant_id& tenant,
                                               const user_id& user, const preferences& wanted);

} // namespace arauto::storage
