// tenant, suppression: what operators do on the machine, beside a running service. The same storage
// functions answer /v1/admin.
#include <iostream>
#include <memory>

#include <pwd.h>
#include <unistd.h>

#include "deployment/commands.hpp"
#include "deployment/trouble.hpp"
#include "storage/model/address.hpp"
#include "storage/suppressions.hpp"
#include "storage/tenants.hpp"

namespace arauto::deployment {

namespace {

constexpr int page = 500;

void add_new_tenant(storage::session& db, const storage::tenant_view& wanted) {
  const auto made = storage::create_tenant(db, wanted, of_this_account());
  if (made.error() == errc::already_exists)
    throw trouble{"there is a tenant " + wanted.id.text + " already"};
  if (!made) fail("cannot create tenant " + wanted.id.text, made.why());
  std::cout << wanted.id.text << std::endl;
}

void print_tenants(storage::session& db) {
  tenant_id after;
  for (bool more = true; more;) {
    const auto all = storage::list_tenants(db, after, page);
    if (!all) fail("cannot list tenants", all.why());
    for (const auto& each : *all)
      std::cout << each.id.text << "\t" << each.status << "\t" << each.created_at << "\t"
                << each.name << "\n";
    more = all->size() == page;
    if (more) after = all->back().id;
  }
}

void set_status(storage::session& db, const tenant_id& tenant, const std::string& status) {
  storage::tenant_change wanted;
  wanted.status = status;
  const auto made = storage::change_tenant(db, tenant, wanted, of_this_account());
  if (made.error() == errc::not_found) throw trouble{"there is no tenant " + tenant.text};
  if (!made) fail("cannot change tenant " + tenant.text, made.why());
  std::cout << tenant.text << "\t" << made->status << std::endl;
}

void print_suppressions(storage::session& db, const tenant_id& tenant) {
  storage::suppression_place after;
  for (bool more = true; more;) {
    const auto all = storage::list_suppressions(db, tenant, after, page);
    if (all.error() == errc::not_found) throw trouble{"there is no tenant " + tenant.text};
    if (!all) fail("cannot list suppressions", all.why());
    for (const auto& each : *all)
      std::cout << spelled(each.via) << "\t" << each.digest << "\t" << each.created_at << "\t"
                << each.reason << "\n";
    more = all->size() == page;
    if (more) after = {all->back().via, all->back().digest};
  }
}

void lift(storage::session& db, const tenant_id& tenant, std::istream& in) {
  std::string line;
  std::getline(in, line);
  const auto address = parse_address(line);
  if (!address) throw trouble{"standard input holds no address"};
  const auto lifted =
      storage::lift_suppression(db, tenant, channel::email, address->key, of_this_account());
  if (lifted.error() == errc::not_found) throw trouble{"this address is not suppressed"};
  if (!lifted) fail("cannot lift the suppression", lifted.why());
}

} // namespace

storage::signature of_this_account() {
  const auto* entry = ::getpwuid(::geteuid());
  return {"cli:" + (entry != nullptr ? std::string{entry->pw_name} : std::to_string(::geteuid())),
          {}};
}

void add_tenant(command_line line) {
  auto* tenant = line.app.add_subcommand("tenant", "create, list, stop or start tenants")
                     ->require_subcommand(1);
  auto wanted = std::make_shared<storage::tenant_view>();
  auto* create = tenant->add_subcommand("create", "a new tenant");
  create->add_option("id", wanted->id.text, "short name, as acme")->required();
  create->add_option("--name", wanted->name, "for people; the id unless given");
  create->add_option("--sender-address", wanted->sender_address, "its own sender of e-mails");
  create->add_option("--sender-name", wanted->sender_name, "display name of that sender");
  create->final_callback([line, wanted] {
    if (wanted->name.empty()) wanted->name = wanted->id.text;
    storage::session db{database_of(line.read())};
    add_new_tenant(db, *wanted);
  });
  tenant->add_subcommand("list", "all tenants")->final_callback([line] {
    storage::session db{database_of(line.read())};
    print_tenants(db);
  });
  for (const auto& [verb, status, purpose] :
       {std::tuple{"stop", "stopped", "its keys open nothing from within a second on"},
        std::tuple{"start", "active", "its keys are good again"}}) {
    auto* command = tenant->add_subcommand(verb, purpose);
    command->add_option("id", wanted->id.text, "which tenant")->required();
    command->final_callback([line, wanted, becomes = std::string{status}] {
      storage::session db{database_of(line.read())};
      set_status(db, wanted->id, becomes);
    });
  }
}

void add_suppression(command_line line) {
  auto* suppression =
      line.app.add_subcommand("suppression", "addresses that providers refused for good")
          ->require_subcommand(1);
  auto tenant = std::make_shared<tenant_id>();
  auto* list = suppression->add_subcommand("list", "by digest, never by address");
  list->add_option("tenant", tenant->text, "whose")->required();
  list->final_callback([line, tenant] {
    storage::session db{database_of(line.read())};
    print_suppressions(db, *tenant);
  });
  auto* lifting = suppression->add_subcommand(
      "lift", "the e-mail address on standard input may be written to again");
  lifting->add_option("tenant", tenant->text, "whose")->required();
  lifting->final_callback([line, tenant] {
    storage::session db{database_of(line.read())};
    lift(db, *tenant, std::cin);
  });
}

} // namespace arauto::deployment
