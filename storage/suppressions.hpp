// Addresses that a provider refused for good, by digest: nothing is sent there until an operator
// lifts one.
#pragma once

#include <string>
#include <vector>

#include "storage/audit.hpp"
#include "storage/model/channel.hpp"
#include "storage/model/ids.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

struct suppression_view {
  channel via = channel::email;
  std::string digest; // SHA-256 of the canonical address, hex
  std::string reason, created_at;
};

struct suppression_place {
  channel via = channel::email;
  std::string digest; // hex; empty: before all
};

result<std::vector<suppression_view>> list_suppressions(session& db, const tenant_id& tenant,
                                                        const suppression_place& after,
                                                        int rows_max); // not_found
// `address` in its canonical form (model/address.hpp). not_found: no such tenant or suppression.
result<done> lift_suppression(session& db, const tenant_id& tenant, channel via,
                              const std::string& address, const signature& by);

} // namespace arauto::storage
