// A real PostgreSQL for each test: a fresh database, made from a template in which the schema
// already stands.
//
// ARAUTO_TEST_POSTGRES may name a running server by URL (deployment/test.sh starts one for all
// programs); otherwise the first fixture of a program starts one that ends with the program.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "deployment/private_postgres.hpp"
#include "storage/session.hpp"

namespace arauto::tests {

// A directory under /tmp that is gone afterwards; open to every account, as PostgreSQL's must pass
// through.
class passable_directory {
public:
  passable_directory();
  ~passable_directory();
  passable_directory(const passable_directory&) = delete;
  passable_directory& operator=(const passable_directory&) = delete;
  const std::filesystem::path path;
};

struct own_database {
  own_database();
  ~own_database();
  own_database(const own_database&) = delete;
  own_database& operator=(const own_database&) = delete;

  storage::database_settings settings() const;

  const std::string name;
  const std::string url;
};

// As own_database, without a schema.
struct empty_database {
  empty_database();
  ~empty_database();
  empty_database(const empty_database&) = delete;
  empty_database& operator=(const empty_database&) = delete;

  const std::string name;
  const std::string url;
};

// A whole server for tests that stop, crash or starve it. Its database `arauto` has the schema.
struct own_server {
  own_server();
  storage::database_settings settings() const;

  passable_directory directory;
  deployment::private_postgres postgres;
};

// The same URL for another database of the same server.
std::string with_database(const std::string& url, const std::string& database);

} // namespace arauto::tests
