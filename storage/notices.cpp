#include "storage/notices.hpp"

#include <algorithm>

#include "storage/sql/statements.hpp"
#include "storage/watchdog.hpp"

namespace arauto::storage {

namespace {

constexpr auto channel_name = "arauto_due"; // as sql/api/4_notify.sql says it
constexpr std::chrono::milliseconds ask_every{3'000};
constexpr std::chrono::milliseconds answer_within{3'000};

// Anybody who may connect may NOTIFY anything: what can be no tenant's name is nobody's.
bool may_be_tenant(const std::string& text) {
  return !text.empty() && text.size() <= 63 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

} // namespace

class notices::ear : public pqxx::notification_receiver {
public:
  ear(pqxx::connection_base& to, heard& into)
      : pqxx::notification_receiver{to, channel_name}, into_{into} {}

  void operator()(const std::string& payload, int) override {
    ++into_.notices;
    if (!may_be_tenant(payload)) return;
    if (into_.tenants.size() < tenants_max)
      into_.tenants.insert({payload});
    else if (into_.tenants.count({payload}) == 0)
      into_.anew = true;
  }

private:
  heard& into_;
};

notices::notices(const database_settings& settings)
    : settings_{settings}, watchdog_{watchdog::shared()} {}

notices::~notices() {
  discard();
}

void notices::connect() {
  connection_ = std::make_unique<pqxx::connection>(connection_text(settings_));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  connection_->inhibit_reactivation(true);
#pragma GCC diagnostic pop
  const watchdog::guard watched{*watchdog_, connection_->sock(), answer_within};
  pqxx::nontransaction{*connection_}.exec(std::string{own_settings} + "; set role arauto_steward");
  heard_ = {};
  ear_ = std::make_unique<ear>(*connection_, heard_); // says LISTEN
  heard_.anew = true;
  ask_at_ = {};
}

// The answer is a number worth knowing: a listener that does not listen fills the queue, and a full
// queue fails every commit that notifies.
void notices::ask_for_life() {
  const auto now = std::chrono::steady_clock::now();
  if (now < ask_at_) return;
  ask_at_ = now + ask_every;
  const watchdog::guard watched{*watchdog_, connection_->sock(), answer_within};
  pqxx::nontransaction work{*connection_};
  heard_.queue_used = work.exec(sql::notices_queue.text)[0][0].as<double>();
}

// Else a dispatcher would be born for each name that somebody made up.
void notices::keep_who_has_work() {
  if (heard_.tenants.empty()) return;
  std::string names;
  for (const auto& tenant : std::exchange(heard_.tenants, {}))
    names += (names.empty() ? "{" : ",") + tenant.text;
  const watchdog::guard watched{*watchdog_, connection_->sock(), answer_within};
  pqxx::nontransaction work{*connection_};
  for (const auto& row : work.exec_params(sql::notices_due.text, names + "}"))
    heard_.tenants.insert({row[0].c_str()});
}

result<heard> notices::wait(std::chrono::milliseconds patience) {
  try {
    if (!connection_) connect();
    ask_for_life();
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(patience);
    const auto rest = std::chrono::microseconds{patience - whole};
    if (!heard_.anew) connection_->await_notification(whole.count(), rest.count());
    keep_who_has_work();
    return std::exchange(heard_, {});
  } catch (const std::exception&) { // a broken connection; nothing else is asked here
    discard();
    return failure{errc::unavailable, "listening"};
  }
}

void notices::discard() {
  if (!connection_) return;
  const watchdog::guard watched{*watchdog_, connection_->sock(), answer_within};
  ear_.reset(); // says UNLISTEN
  connection_.reset();
}

} // namespace arauto::storage
