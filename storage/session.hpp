// One conversation with PostgreSQL: one connection, used by one thread at a time, that knows what a
// failure means.
//
// libpqxx 6 would reconnect silently and forget session state: that is forbidden here, durability
// is set per transaction (SET LOCAL), and a connection that broke is thrown away whole, never
// reused. Failures come back as values in two ladders: before COMMIT nothing has happened
// (unavailable, busy, try_again, bad_input); after COMMIT was sent only a proven rollback is known
// (try_again), all else is commit_in_doubt. libpq has no read timeout, so a watchdog shuts the
// socket of a conversation that is overdue.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include <pqxx/pqxx>

#include "storage/model/errc.hpp"
#include "storage/reach.hpp"
#include "storage/statement.hpp"

namespace arauto::storage {

class watchdog;

struct database_settings {
  std::string url; // a libpq URL or key=value string; never logged (it may hold a password)
  std::chrono::seconds connect_timeout{5};
  std::chrono::milliseconds statement_timeout{5'000};
  std::chrono::milliseconds lock_timeout{2'000};
  std::chrono::milliseconds row_patience{500};    // a batch of deliveries, for rows somebody holds
  std::chrono::milliseconds idle_timeout{10'000}; // idle in transaction
  std::chrono::milliseconds silence_timeout{
      8'000}; // the watchdog: one whole transaction, COMMIT included
  // Told after each statement: its name, how long it took, how many rows it gave. May be empty.
  std::function<void(const char*, std::chrono::nanoseconds, std::size_t)> observed;
};

// How libpq is told where the database is.
std::string connection_text(const database_settings& settings);

// The first words on each connection. Nobody else's function or operator is ours, whatever stands
// in `public` or in the path of the role. Every statement here walks from item to row by key: plans
// must not depend on when the tables were last counted, or the plan for an empty table (walk it
// all) would be kept while it grows.
inline constexpr auto own_settings =
    "set search_path = pg_catalog, pg_temp; "
    "set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; "
    "set jit = off; set plan_cache_mode = force_generic_plan";

class session {
public:
  explicit session(const database_settings& settings);
  ~session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  // Inside one transaction: runs prepared statements by name.
  class transaction {
  public:
    template <class... Args>
    pqxx::result run(const statement& what, Args&&... args) {
      owner_.prepare(what);
      const auto begun = std::chrono::steady_clock::now();
      auto rows = work_.exec_prepared(what.name, std::forward<Args>(args)...);
      owner_.observe(what, begun, rows.size());
      return rows;
    }
    // The server process that libpq was told it speaks with. A pooler makes one up.
    int announced_process() const { return owner_.connection_->backendpid(); }
    // For schema steps only: text that holds several statements.
    pqxx::result run_script(const char* text) { return work_.exec(text); }

  private:
    friend class session;
    transaction(session& owner, pqxx::nontransaction& work) : owner_{owner}, work_{work} {}
    session& owner_;
    pqxx::nontransaction& work_; // BEGIN and COMMIT are ours, to tell their failures apart
  };

  // Runs `body(transaction&)` in one transaction that sees no further than `far`, and commits it
  // durably. The body may run again after a deadlock, so it only builds its answer. `lock_timeout`
  // zero means the setting's.
  template <class Body>
  auto in_transaction(const reach& far, Body&& body,
                      std::chrono::milliseconds lock_timeout = std::chrono::milliseconds{0})
      -> result<decltype(body(std::declval<transaction&>()))> {
    using value = decltype(body(std::declval<transaction&>()));
    std::unique_ptr<value> made;
    failure why;
    for (int tries = 0; tries < 3; ++tries) { // a deadlock's victim did nothing and may ask again
      why = perform(
          far, [&](transaction& t) { made = std::make_unique<value>(body(t)); }, lock_timeout);
      if (why.code != errc::try_again) break;
    }
    if (why.code != errc::none) return why;
    return std::move(*made);
  }

  // Until then rows that somebody else holds are left out of batches instead of waited for.
  std::chrono::steady_clock::time_point leaves_held_rows_until{};

  std::chrono::milliseconds row_patience() const { return settings_.row_patience; }

  // True when a connection stands (it is made at the first need, and again after a loss).
  bool connected() const { return connection_ != nullptr; }
  void discard();

private:
  failure perform(const reach& far, const std::function<void(transaction&)>& body,
                  std::chrono::milliseconds lock_timeout);
  failure connect();
  failure commit(pqxx::nontransaction& work);
  void prepare(const statement& what);
  void observe(const statement& what, std::chrono::steady_clock::time_point begun,
               std::size_t rows) const;

  database_settings settings_;
  std::unique_ptr<pqxx::connection> connection_;
  std::unordered_set<std::string> prepared_;
  std::shared_ptr<watchdog> watchdog_;
};

} // namespace arauto::storage
