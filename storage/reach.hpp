// How far one transaction reaches: the role it takes on and the tenants whose rows that role may
// see. The second wall beneath the queries (sql/migrations/0009_walls.sql): a statement that forgot
// its `tenant_id =` finds nothing of anybody else's. Set with SET LOCAL, so nothing of it stays on
// the connection.
#pragma once

#include <string>
#include <vector>

#include "storage/model/ids.hpp"

namespace arauto::storage {

class reach {
public:
  static reach of(const tenant_id& one);               // one tenant's own business
  static reach of(const std::vector<tenant_id>& some); // a keeper's batch; repetitions are welcome
  static reach house(); // keys, tenants, nodes, timers: never on behalf of a tenant
  static reach owner(); // whoever logged in: steps of the schema, and looking at the server

  // The settings that make it so, to be sent after BEGIN. Empty for the owner.
  const std::string& opening() const { return opening_; }

private:
  explicit reach(std::string opening) : opening_{std::move(opening)} {}
  std::string opening_;
};

// The tenants of a batch, whatever its items are.
template <class Item>
reach reach_of_all(const std::vector<Item>& items) {
  std::vector<tenant_id> tenants;
  tenants.reserve(items.size());
  for (const auto& one : items)
    tenants.push_back(one.tenant);
  return reach::of(tenants);
}

} // namespace arauto::storage
