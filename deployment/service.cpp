#include "deployment/service.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include <prometheus/registry.h>

#include "actors/channels/file_port.hpp"
#include "actors/channels/smtp_port.hpp"
#include "actors/office.hpp"
#include "deployment/house_accounts.hpp"
#include "deployment/signals.hpp"
#include "deployment/trouble.hpp"
#include "http/server.hpp"
#include "storage/log.hpp"
#include "storage/pool.hpp"
#include "storage/schema.hpp"

namespace arauto::deployment {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

constexpr auto database_patience = 15s;
constexpr auto migration_limit = 10min;

std::chrono::system_clock::time_point wall_now() {
  return std::chrono::system_clock::now();
}

std::string bracketed(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

} // namespace

void prepare_database(const storage::database_settings& database) {
  auto patient = database;
  patient.statement_timeout = migration_limit;
  patient.silence_timeout = migration_limit;
  patient.lock_timeout = migration_limit; // another node may be migrating
  storage::session db{patient};
  const auto give_up = steady::now() + database_patience;
  for (;;) {
    const bool last = steady::now() > give_up;
    if (const auto safe = storage::check_server(db)) {
      const auto version = storage::migrate(db);
      if (version) break;
      if (version.error() != errc::unavailable || last) fail("cannot migrate", version.why());
    } else if (safe.error() != errc::unavailable || last) {
      fail("this PostgreSQL cannot be used", safe.why());
    }
    if (signal_waits()) throw trouble{"asked to end while waiting for the database"};
    std::this_thread::sleep_for(500ms);
  }
}

std::unique_ptr<channels::port> make_mail_port(const settings& from) {
  const auto& mail = from.mail;
  const auto& account = mail.smtp;
  if (mail.transport == mail_transport::undecided)
    throw trouble{
        "no way out for mails: set smtp.host, or mail.transport = file and mail.directory"};
  auto port = mail.transport == mail_transport::smtp
                  ? channels::make_smtp_port(account, wall_now)
                  : channels::make_file_port({mail.directory, account.sender_address,
                                              account.sender_name, account.message_id_domain},
                                             wall_now);
  if (!port) fail("cannot send mails with these settings", port.why());
  return std::move(*port);
}

result<std::shared_ptr<channels::port>> open_mail_port(const settings& from) {
  try {
    return std::shared_ptr<channels::port>{make_mail_port(from)};
  } catch (const trouble& why) {
    return failure{errc::bad_input, why.what()};
  }
}

result<std::shared_ptr<channels::port>> shared(result<std::unique_ptr<channels::port>> made) {
  if (!made) return made.why();
  return std::shared_ptr<channels::port>{std::move(*made)};
}

// Development: what has no account of the house leaves as files.
void become_files(account_means& means, const std::string& directory) {
  if (const auto usable = channels::make_push_file_port(directory); !usable)
    fail("push.directory: " + directory, usable.why());
  for (const auto via : all_providers) {
    const auto has_one =
        std::any_of(means.of_house.begin(), means.of_house.end(),
                    [&](const auto& account) { return account.place.of.via == via; });
    if (!has_one) means.of_house.push_back(house_account(via));
  }
}

// The settings are judged here, once; each opening makes a port of its own, which ends with its
// courier.
account_means house_accounts(const settings& from) {
  make_mail_port(from);
  account_means means;
  means.seals = read_seals(from);
  means.of_house.push_back(house_account(provider::smtp));
  for (const auto& [via, form] : house_push_accounts(from)) {
    means.of_house.push_back(house_account(via));
    means.of_house.back().open = form.open.dump();
    means.of_house.back().secret = form.secret.dump();
  }
  if (!from.push.directory.empty()) become_files(means, from.push.directory);
  means.open_port = [from, with = push_means(from)](const storage::account_contents& account) {
    const auto via = account.place.of.via;
    const bool of_settings = account.place.tenant.text.empty() && account.open == "{}";
    if (of_settings && via == provider::smtp) return open_mail_port(from);
    if (of_settings) return shared(channels::make_push_file_port(from.push.directory));
    return shared(channels::open_port(
        via, {nlohmann::json::parse(account.open), nlohmann::json::parse(account.secret)}, with));
  };
  return means;
}

int serve(const settings& with, const std::function<void(const std::string& url)>& ready) {
  auto metrics = std::make_shared<prometheus::Registry>();
  std::atomic<bool> collapsed{false};
  const auto accounts = house_accounts(with);
  office staff{with.office, accounts, metrics, [&] {
                 collapsed = true;
                 ask_for_end();
               }};
  storage::pool sessions{with.office.database, with.database_sessions_max};
  http::server api{with.http, sessions, staff, *metrics, accounts.seals};
  if (const auto listening = api.start(); !listening)
    fail("cannot serve on " + bracketed(with.http.address) + ":" + std::to_string(with.http.port),
         listening.why());
  const bool by_tls = !with.http.certificate_file.empty();
  const auto url = (by_tls ? "https://" : "http://") + bracketed(with.http.address) + ":"
                   + std::to_string(api.port());
  log::info("serving",
            {{"address", with.http.address}, {"port", api.port()}, {"tls", by_tls ? 1 : 0}});
  ready(url);

  const auto signal = by_tls ? wait_for_signal([&] { api.reload_certificate(); })
                             : wait_for_signal(); // a terminal that closes is an end
  log::info("stopping", {{"signal", signal}, {"limit_ms", with.stop_limit.count()}});
  const auto deadline = steady::now() + with.stop_limit;
  api.stop(with.stop_limit / 3); // the office needs the rest to end its deliveries
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady::now());
  staff.stop(std::max<std::chrono::milliseconds>(left, 100ms));
  log::info("stopped", {{"collapsed", collapsed ? 1 : 0}});
  return collapsed ? exit_collapsed : exit_good;
}

} // namespace arauto::deployment
