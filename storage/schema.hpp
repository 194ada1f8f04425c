// The shape of the database: numbered migrations, run forward only, under a lock, by `arauto
// migrate` and at start; after them the public functions and views of sql/api.
#pragma once

#include "storage/session.hpp"

namespace arauto::storage {

// Brings the schema to this binary's version. schema_too_new when a newer arauto was here. Where it
// is of this version already, the login needs no right to change it.
result<int> migrate(session& db);

// The version this binary needs.
int schema_version();

// Refuses (unsafe_server) a server that can lose acknowledged commits (fsync or full_page_writes
// off), and a pooler before it, which takes from a session what it prepared, set and listens to.
result<done> check_server(session& db);

} // namespace arauto::storage
