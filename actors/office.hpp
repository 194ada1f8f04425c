// The whole staff behind one door: starts the supervisor and everything under it, takes
// notifications, stops in order. This is what http/ and deployment/ know of the actors.
// Thread-safe: any thread may call submit and the hints.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <prometheus/registry.h>

#include "actors/accounts.hpp"
#include "actors/settings.hpp"
#include "storage/model/errc.hpp"
#include "storage/model/event.hpp"

namespace arauto {

class office {
public:
  // `on_collapse` is called once, from an actor's thread, when the supervisor gives up: the process
  // must end non-zero.
  office(const office_settings& settings, account_means accounts,
         std::shared_ptr<prometheus::Registry> metrics, std::function<void()> on_collapse);
  ~office();
  office(const office&) = delete;
  office& operator=(const office&) = delete;

  // Accepts one notification durably; waits for the COMMIT of its group. no_room: the window of the
  // front is full; unavailable: the database is away or too slow (the operation may be sent again
  // with the same id); stopping.
  result<accept_answer> submit(notification asked);

  // Many at once, each on its own, in the order asked. They share the groups of the front with all
  // others, and go to it piece by piece, so that nobody waits behind a whole list.
  std::vector<result<accept_answer>> submit_all(std::vector<notification> asked);

  // A hint that this tenant has work that was written by other means.
  void work_ready(const tenant_id& tenant);

  // False while this node could not accept: the database was last seen away, or a stop is in
  // progress.
  bool can_accept() const;

  // Stops claiming, lets what has a permit finish, gives leases back; returns within `limit`.
  void stop(std::chrono::milliseconds limit);

private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

} // namespace arauto
