// An application beside arauto: a ledger, and a database role of its own, bound to `acme`, that
// comes by the SQL door.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/support/ledger.hpp"

namespace arauto::tests {

// A database role for one test; roles belong to the whole server.
class plain_role {
public:
  explicit plain_role(const std::string& owner_url);
  ~plain_role();
  plain_role(const plain_role&) = delete;
  plain_role& operator=(const plain_role&) = delete;

  const std::string name;
  const std::string url; // of the database, as this role

private:
  const std::string owner_url_;
};

// What a caller may say; what is empty is left out.
struct call {
  std::string operation;
  std::string variables = R"({"order":"A-1"})";
  std::string user = "ana", type = "order.shipped";
  std::optional<std::string> channels{}; // a PostgreSQL array
  std::string priority{}, send_at{}, expires_at{};
};

// `select arauto.notify(...)` in the transaction: the event's id.
std::string notify(pqxx::transaction_base& in, const call& what);
// The same in a connection and a transaction of its own.
std::string notify_once(const std::string& url, const call& what);

void bind(storage::session& db, const plain_role& who, const tenant_id& whose = acme);

struct shop : ledger {
  shop();

  plain_role role{url};

  std::string notify_one(const call& what) { return notify_once(role.url, what); }
  // The SQLSTATE and text of its refusal; fails the test when there is none.
  struct refusal {
    std::string state, text;
  };
  refusal refused(const call& what);
};

} // namespace arauto::tests
