// account: a tenant's own accounts at providers. Works on the database, beside a running service,
// which hears of a change within a poll. Secrets come on standard input, never as arguments.
#include <iostream>
#include <iterator>
#include <memory>

#include "actors/accounts.hpp"
#include "deployment/commands.hpp"
#include "deployment/house_accounts.hpp"
#include "deployment/trouble.hpp"
#include "storage/accounts.hpp"

namespace arauto::deployment {

namespace {

constexpr int rows_at_once = 100;

struct account_asked {
  tenant_id tenant;
  std::string via, app;

  outlet of() const {
    const auto spelled_out = provider_spelled(via);
    if (!spelled_out) throw trouble{"provider: smtp, fcm, apns or web_push is expected"};
    if (*spelled_out == provider::smtp && !app.empty()) throw trouble{"--app: e-mail has no apps"};
    if (app.size() > 255) throw trouble{"--app: at most 255 bytes"};
    return {*spelled_out, app};
  }
};

channels::account_form read_form(provider via, std::istream& in) {
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  auto judged = channels::read_account(via, nlohmann::json::parse(text, nullptr, false));
  if (judged.faults.empty()) return std::move(judged.form);
  std::string all;
  for (const auto& fault : judged.faults)
    all += "\n  " + fault.pointer + " " + fault.what;
  throw trouble{"the account on standard input cannot be used:" + all};
}

storage::seal_ring ring_of(const settings& with) {
  auto ring = read_seals(with);
  if (ring.empty()) throw trouble{"secrets.key_file is not set: `arauto secrets new` makes a key"};
  return ring;
}

void set_account(const settings& with, const account_asked& asked) {
  const auto of = asked.of();
  const auto ring = ring_of(with);
  const auto form = read_form(of.via, std::cin);
  storage::session db{database_of(with)};
  const auto put = storage::put_account(db, ring, asked.tenant, of, form.open.dump(),
                                        form.secret.dump(), of_this_account());
  if (put.error() == errc::not_found) throw trouble{"there is no tenant " + asked.tenant.text};
  if (!put) fail("cannot store the account", put.why());
  std::cout << name_of(*put) << std::endl;
}

void remove_account(const settings& with, const account_asked& asked) {
  storage::session db{database_of(with)};
  const auto removed = storage::remove_account(db, asked.tenant, asked.of(), of_this_account());
  if (removed.error() == errc::not_found) throw trouble{asked.tenant.text + " has no such account"};
  if (!removed) fail("cannot remove the account", removed.why());
}

void print_accounts(const settings& with, const tenant_id& tenant) {
  storage::session db{database_of(with)};
  const auto all = storage::list_accounts(db, tenant);
  if (all.error() == errc::not_found) throw trouble{"there is no tenant " + tenant.text};
  if (!all) fail("cannot list accounts", all.why());
  for (const auto& each : *all) {
    std::cout << to_string(each.of) << "\tchanged " << each.changed_at << "\tsealed under "
              << each.key << "\t"
              << (each.paused_at.empty()
                      ? "flows"
                      : "paused since " + each.paused_at + ": " + each.pause_cause)
              << "\t" << each.open << "\n";
  }
}

void reseal(const settings& with) {
  const auto ring = ring_of(with);
  storage::session db{database_of(with)};
  int count = 0;
  for (int made = rows_at_once; made == rows_at_once; count += made) {
    const auto some = storage::reseal_accounts(db, ring, rows_at_once, of_this_account());
    if (!some) fail("cannot seal anew", some.why());
    made = *some;
  }
  std::cout << count << " sealed anew under " << ring.current() << std::endl;
}

} // namespace

void add_account(command_line line) {
  auto* account = line.app.add_subcommand("account", "a tenant's own accounts at providers")
                      ->require_subcommand(1);
  const auto asked = std::make_shared<account_asked>();
  const auto named = [&](const char* verb, const char* purpose) {
    auto* command = account->add_subcommand(verb, purpose);
    command->add_option("tenant", asked->tenant.text, "whose")->required();
    return command;
  };
  const auto with_outlet = [&](CLI::App* command) {
    command->add_option("provider", asked->via, "smtp, fcm, apns or web_push")->required();
    command->add_option("--app", asked->app, "for one app only: its own account goes first");
    return command;
  };
  with_outlet(named("set", "make or replace one, from JSON on standard input"))
      ->final_callback([line, asked] { set_account(line.read(), *asked); });
  with_outlet(named("remove", "the house's account answers again, where there is one"))
      ->final_callback([line, asked] { remove_account(line.read(), *asked); });
  named("list", "all of a tenant's, without secrets")->final_callback([line, asked] {
    print_accounts(line.read(), asked->tenant);
  });
  account->add_subcommand("reseal", "seal every secret under the first key of secrets.key_file")
      ->final_callback([line] { reseal(line.read()); });
}

} // namespace arauto::deployment
