// What the SQL door says when it commits: a NOTIFY with the tenant's name, a hint that this tenant
// has work. A connection of its own, which listens; thread: one, it blocks. A hint may be lost with
// its connection, so a new one says that everything should be looked at once.
#pragma once

#include <chrono>
#include <memory>
#include <set>

#include "storage/model/ids.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

struct heard {
  bool anew = false;           // hints may have been missed: look at everything that is due
  std::set<tenant_id> tenants; // who were named and have work that is due; at most tenants_max
  std::size_t notices = 0;
  double queue_used = -1; // of PostgreSQL's notification queue, 0 to 1; negative: not asked now
};

class notices {
public:
  static constexpr std::size_t tenants_max = 256;

  explicit notices(const database_settings& settings);
  ~notices();
  notices(const notices&) = delete;
  notices& operator=(const notices&) = delete;

  // Waits until something is heard, at most `patience`; connects first where there is no
  // connection. A connection that is silently gone is found out by asking it something every few
  // seconds. unavailable: nobody listens at present; ask again.
  result<heard> wait(std::chrono::milliseconds patience);

private:
  class ear;
  void connect();
  void ask_for_life();
  void keep_who_has_work();
  void discard();

  database_settings settings_;
  std::shared_ptr<watchdog> watchdog_;
  std::unique_ptr<pqxx::connection> connection_;
  heard heard_;
  std::unique_ptr<ear> ear_;
  std::chrono::steady_clock::time_point ask_at_{};
};

} // namespace arauto::storage
