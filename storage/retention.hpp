// Forgets what is over: events older than the retention, with deliveries and trail. Whatever is
// live, a delivery in doubt among it, keeps its event. Called by a keeper; thread: the session's.
#pragma once

#include "storage/session.hpp"

namespace arauto::storage {

// One batch; gives how many events were deleted. Fewer than rows_max: there are no more that
// nobody holds just now.
result<int> retire(session& db, int days, int rows_max);

} // namespace arauto::storage
