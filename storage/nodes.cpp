#include "storage/nodes.hpp"

#include "storage/rows.hpp"
#include "storage/sql/statements.hpp"

namespace arauto::storage {

result<done> heartbeat(session& db, const node_id& self, const std::string& address) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    t.run(sql::node_heartbeat, self.text, address);
    t.run(sql::nodes_forget);
    return done{};
  });
}

result<done> leave(session& db, const node_id& self) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    t.run(sql::node_leave, self.text);
    return done{};
  });
}

result<std::vector<node_view>> list_nodes(session& db, std::chrono::seconds silence) {
  return db.in_transaction(reach::house(), [&](session::transaction& t) {
    std::vector<node_view> all;
    for (const auto& row : t.run(sql::node_list, static_cast<int>(silence.count())))
      all.push_back({{text(row["id"])},
                     text(row["address"]),
                     text(row["roles"]),
                     text(row["heartbeat_at"]),
                     row["alive"].as<bool>()});
    return all;
  });
}

} // namespace arauto::storage
