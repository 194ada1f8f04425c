// Accounts at providers, of tenants: what is public about one as JSON, its secrets sealed
// (storage/sealing.hpp). Secrets leave this floor only through find_account, for the port that
// needs them. Every change gives an account a new, ever-growing version, which is how nodes hear of
// it. Thread: the session's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/audit.hpp"
#include "storage/model/ids.hpp"
#include "storage/model/provider.hpp"
#include "storage/sealing.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

// Where an account stands, without its contents.
struct account_place {
  std::string id; // uuid; the same through all versions
  tenant_id tenant;
  outlet of;
  std::int64_t version = 0;
  bool removed = false;
};

// The oldest changes after `version`, at most rows_max; ask again from the last one's version.
result<std::vector<account_place>> accounts_since(session& db, std::int64_t version, int rows_max);

struct account_contents {
  account_place place;
  std::string open;   // JSON object
  std::string secret; // JSON object
};

// not_found: unknown or removed. bad_input: sealed under a key the ring does not have.
result<account_contents> find_account(session& db, const seal_ring& ring, const std::string& id);

// Makes it, or replaces it whole; gives its new place. not_found: no such tenant. bad_input: the
// ring is empty.
result<account_place> put_account(session& db, const seal_ring& ring, const tenant_id& tenant,
                                  const outlet& of, const std::string& open,
                                  const std::string& secret, const signature& by);
result<done> remove_account(session& db, const tenant_id& tenant, const outlet& of,
                            const signature& by); // not_found

struct account_view {
  outlet of;
  std::string id, open, created_at, changed_at;
  std::string paused_at, pause_cause; // empty: it flows, or nobody has tried
  int pause_code = 0;
  std::string key; // name of the sealing key
};
result<std::vector<account_view>> list_accounts(session& db, const tenant_id& tenant); // not_found

// A courier says how its account fares; an empty cause: it flows again. Changes nothing when the
// account has a newer version.
result<done> note_account(session& db, const account_place& which, const std::string& cause,
                          int code);

// Seals anew what is not under the ring's first key; gives how many it was, at most rows_max.
result<int> reseal_accounts(session& db, const seal_ring& ring, int rows_max, const signature& by);

} // namespace arauto::storage
