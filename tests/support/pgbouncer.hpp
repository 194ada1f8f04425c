// A real pgbouncer in transaction mode before a database, as applications put it there.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/own_database.hpp"

namespace arauto::tests {

class pgbouncer {
public:
  // `urls`: of the same server, one for each user that may come; at most `connections` of a user
  // and database go on to it.
  pgbouncer(const std::vector<std::string>& urls, int connections);
  ~pgbouncer();
  pgbouncer(const pgbouncer&) = delete;
  pgbouncer& operator=(const pgbouncer&) = delete;

  std::string through(const std::string& url) const; // the same, by way of the pooler

private:
  passable_directory directory_;
  int port_;
  pid_t pid_ = 0;
};

} // namespace arauto::tests
