// What a tenant has waiting, and what it used today. Every count ends at a bound, so that the
// question costs the same however much there is. Thread: the session's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/model/channel.hpp"
#include "storage/model/event.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

constexpr int backlog_counted_max = 10'000; // of one channel and priority
constexpr int today_counted_max = 100'000;

struct backlog {
  channel via = channel::email;
  priority urgency = priority::normal;
  std::int64_t due = 0;   // could be sent now
  std::int64_t later = 0; // waits for its time
  std::int64_t held = 0;  // waits for evidence or a person
  std::string oldest_due_at;
  double lag_s = 0;
};

struct usage {
  std::vector<backlog> waiting; // every channel and priority
  std::string since;            // midnight UTC
  std::int64_t notifications = 0, dead_letters = 0;
};

result<usage> usage_of(session& db, const tenant_id& tenant);

} // namespace arauto::storage
