// The porter hears what the SQL door says when it commits, and wakes the tenant's dispatcher. It
// blocks on a connection of its own, so it has a thread. All it passes on are hints: while it hears
// nothing, the reaper's poll finds the work, and a new connection asks for everything that is due
// once.
#pragma once

#include "actors/house.hpp"
#include "actors/protocol.hpp"
#include "storage/notices.hpp"

namespace arauto {

struct porter_memory {
  static inline const char* name = "porter";

  house_ptr house;
  supervisor_actor supervisor;
  std::unique_ptr<storage::notices> notices;
  bool hears = true; // the last wait was one
};

porter_actor::behavior_type porter(porter_actor::stateful_pointer<porter_memory> self,
                                   house_ptr house, supervisor_actor supervisor);

} // namespace arauto
