// Every number the actors obey, in one place (design 5, defaults). Units are in the names or the
// types.
#pragma once

#include <chrono>
#include <cstddef>

#include "storage/model/plan.hpp"
#include "storage/session.hpp"

namespace arauto {

struct office_settings {
  storage::database_settings database;
  std::size_t accept_keepers = 1; // connections that only accept
  std::size_t work_keepers = 2;   // connections that claim, permit, settle, renew, reap
  std::size_t scheduler_threads = 2;

  std::chrono::milliseconds lease{30'000};
  std::chrono::milliseconds lease_margin{5'000}; // our trust ends this much before the lease
  std::chrono::milliseconds poll{1'000};
  bool listens = true; // for what the SQL door commits; else the poll finds it
  std::chrono::milliseconds heartbeat{2'000};
  std::size_t window_max = 256;       // deliveries of one tenant and channel in flight on this node
  std::size_t accepts_max = 4'096;    // notifications waiting for their group commit; beyond: 503
  std::size_t accept_batch_max = 200; // notifications in one transaction
  std::chrono::milliseconds accept_patience{10'000}; // an accept that waited longer is answered 503

  int restarts_max = 8; // crashes of one actor within restart_window before its branch is stopped
  std::chrono::seconds restart_window{60};
  int lost_leases_max =
      5; // crashes or lost workers before an attempt begins, then permanent_failure

  int retention_days = 90; // an event that is over is kept so long; 0: for ever

  retry_policy retry; // e-mail
  doubt_policy doubt; // e-mail
};

} // namespace arauto
