// Sessions that cross each other where a test wants them: one holds a row until it is told to go
// on, and who waits for it is read from pg_stat_activity, never guessed by time. PostgreSQL serves
// those who wait for a row in the order they came. Statements run as storage/sql has them or, for
// a twin, with a guard replaced.
#pragma once

#include <future>
#include <string>
#include <vector>

#include "storage/statement.hpp"
#include "tests/support/ledger.hpp"

namespace arauto::tests {

// A statement with one piece of its text replaced, which must stand there exactly once.
class altered {
public:
  altered(const storage::statement& whole, const std::string& guard, const std::string& by);
  altered& and_also(const std::string& guard, const std::string& by);
  storage::statement made() const { return {name_.c_str(), text_.c_str()}; }

private:
  std::string name_; // of its own: a session prepares by name
  std::string text_;
};

struct crossing : ledger {
  // A transaction of somebody else, open as long as the test wants.
  struct opened {
    explicit opened(const crossing& where) : connection{where.url}, work{connection} {}
    void hold(const event_id& id); // locks its deliveries
    pqxx::connection connection;
    pqxx::work work;
  };

  // Runs `call(session)` in a thread and session of its own.
  template <class Call>
  auto meanwhile(Call call) {
    return std::async(std::launch::async, [this, call] {
      storage::session other{patient()};
      return call(other);
    });
  }

  // Returns once so many sessions of this database wait for a lock.
  void until_waiting(int sessions);

  // What became of each asked permit: a state, `leased` for go ahead, or `lost`; joined by blanks.
  std::string permits(storage::session& asker, const storage::statement& how,
                      const std::vector<storage::lease>& asked);
  // As storage::cancel_event answers, `channel:came_to` joined by blanks.
  std::string cancels(storage::session& asker, const storage::statement& how, const event_id& id);

  storage::lease claim_by(channel via);
  // A worker that got its permit and never came back; its delivery is due again, in doubt.
  storage::lease lost_in_flight(const std::string& operation);

private:
  storage::database_settings patient() const; // a busy machine must not look like a lock timeout
};

std::string keys_of(const std::vector<storage::lease>& leases); // as permit and renew want them

} // namespace arauto::tests
