#include "storage/nodes.hpp"

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

} // namespace arauto::storage
