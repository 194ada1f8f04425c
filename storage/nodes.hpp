// The living nodes, by the database's clock.
#pragma once

#include "storage/model/ids.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

result<done> heartbeat(session& db, const node_id& self, const std::string& address);
result<done> leave(session& db, const node_id& self);

} // namespace arauto::storage
