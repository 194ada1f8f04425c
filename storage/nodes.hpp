// The living nodes, by the database's clock.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "storage/model/ids.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

result<done> heartbeat(session& db, const node_id& self, const std::string& address);
result<done> leave(session& db, const node_id& self);

struct node_view {
  node_id id;
  std::string address, roles, heartbeat_at;
  bool alive = false; // its heart was heard within `silence`
};
result<std::vector<node_view>> list_nodes(session& db, std::chrono::seconds silence);

} // namespace arauto::storage
