#include "storage/session.hpp"

#include <cstring>

#include "storage/log.hpp"
#include "storage/watchdog.hpp"

namespace arauto::storage {

namespace {

// What a failed statement means before COMMIT: nothing has happened, the question is only whom to
// tell. Never PostgreSQL's text, which quotes values: the SQLSTATE is enough to find the page in
// its manual.
failure before_commit(const pqxx::sql_error& e) {
  const auto& code = e.sqlstate();
  const auto is = [&](const char* prefix) {
    return code.compare(0, std::strlen(prefix), prefix) == 0;
  };
  if (is("40")) return {errc::try_again, code}; // serialization failure, deadlock
  if (is("55P03")) return {errc::busy, code};   // lock timeout
  if (is("57") || is("53") || is("58") || is("25006") || is("08")) return {errc::unavailable, code};
  if (is("23505")) return {errc::already_exists, code};
  if (is("22") || is("23")) return {errc::bad_input, code};
  // libpqxx 6 keeps no SQLSTATE with this one.
  if (dynamic_cast<const pqxx::insufficient_privilege*>(&e) != nullptr)
    return {errc::internal, "42501"};
  return {errc::internal, code};
}

// A server that refuses writes or is going away must not keep our connection: the next one may
// reach the new primary.
bool connection_is_useless(const std::string& sqlstate) {
  return sqlstate == "25006" || sqlstate.compare(0, 3, "57P") == 0 || sqlstate.empty();
}

} // namespace

std::string connection_text(const database_settings& settings) {
  const auto separator = settings.url.find("://") == std::string::npos ? " "
                         : settings.url.find('?') == std::string::npos ? "?"
                                                                       : "&";
  return settings.url + separator
         + "connect_timeout=" + std::to_string(settings.connect_timeout.count());
}

session::session(const database_settings& settings)
    : settings_{settings}, watchdog_{watchdog::shared()} {}

session::~session() = default;

void session::discard() {
  connection_.reset();
  prepared_.clear();
}

failure session::connect() {
  try {
    connection_ = std::make_unique<pqxx::connection>(connection_text(settings_));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    connection_->inhibit_reactivation(true);
#pragma GCC diagnostic pop
    const watchdog::guard watched{*watchdog_, connection_->sock(), settings_.silence_timeout};
    pqxx::nontransaction work{*connection_};
    work.exec(own_settings);
    work.exec("set timezone = 'UTC'; set statement_timeout = "
              + std::to_string(settings_.statement_timeout.count())
              + "; set lock_timeout = " + std::to_string(settings_.lock_timeout.count())
              + "; set idle_in_transaction_session_timeout = "
              + std::to_string(settings_.idle_timeout.count())
              + "; set client_min_messages = warning");
    return {errc::none, {}};
  } catch (const std::exception&) {
    discard();
    return {errc::unavailable, "connect"};
  }
}

void session::prepare(const statement& what) {
  if (prepared_.insert(what.name).second) connection_->prepare(what.name, what.text);
}

void session::observe(const statement& what, std::chrono::steady_clock::time_point begun,
                      std::size_t rows) const {
  if (settings_.observed)
    settings_.observed(what.name, std::chrono::steady_clock::now() - begun, rows);
}

failure session::perform(const reach& far, const std::function<void(transaction&)>& body,
                         std::chrono::milliseconds lock_timeout) {
  if (!connection_)
    if (auto why = connect(); why.code != errc::none) return why;
  const watchdog::guard watched{*watchdog_, connection_->sock(), settings_.silence_timeout};
  failure why{errc::unavailable, "broken connection"};
  bool useless = true;
  try {
    pqxx::nontransaction work{*connection_};
    try {
      std::string opening = "begin; set local synchronous_commit = on";
      if (lock_timeout.count() > 0)
        opening += "; set local lock_timeout = " + std::to_string(lock_timeout.count());
      opening += far.opening();
      work.exec(opening);
      transaction inside{*this, work};
      body(inside);
    } catch (const pqxx::sql_error& e) {
      why = before_commit(e);
      useless = connection_is_useless(e.sqlstate());
      if (!useless) work.exec("rollback");
      throw;
    } catch (const pqxx::transaction_rollback&) { // deadlock or serialization: no sql_error here
      why = {errc::try_again, "40"};
      work.exec("rollback");
      useless = false;
      throw;
    }
    why = commit(work);
    useless = why.code == errc::commit_in_doubt;
  } catch (const pqxx::sql_error&) {
    // `why` was set where it was understood
  } catch (const pqxx::transaction_rollback&) {
    // as well
  } catch (const std::exception&) {
    // a broken connection before COMMIT, or a row that could not be read: nothing has happened
    useless = true;
  }
  if (useless) discard();
  if (why.code == errc::internal) log::error("statement_failed", {{"sqlstate", why.text}});
  return why;
}

failure session::commit(pqxx::nontransaction& work) {
  try {
    work.exec("commit");
    return {errc::none, {}};
  } catch (const pqxx::sql_error& e) {
    const auto& code = e.sqlstate();
    const bool proven_rollback = code.compare(0, 2, "40") == 0 || code.compare(0, 2, "23") == 0;
    return {proven_rollback ? errc::try_again : errc::commit_in_doubt, code};
  } catch (const pqxx::serialization_failure&) {
    return {errc::try_again, "40001"};
  } catch (const pqxx::deadlock_detected&) {
    return {errc::try_again, "40P01"};
  } catch (const std::exception&) {
    return {errc::commit_in_doubt,
            "commit"}; // a broken link, anything: only looking it up can tell
  }
}

} // namespace arauto::storage
