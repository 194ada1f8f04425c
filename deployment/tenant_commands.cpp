// tenant and key: who may ask. They work on the database, beside a running service.
#include <iostream>
#include <memory>

#include "deployment/commands.hpp"
#include "deployment/trouble.hpp"
#include "http/credentials.hpp"
#include "storage/tenants.hpp"

namespace arauto::deployment {

namespace {

void add_new_tenant(storage::session& db, const storage::tenant_view& wanted) {
  const auto made = storage::create_tenant(db, wanted);
  if (made.error() == errc::already_exists)
    throw trouble{"there is a tenant " + wanted.id.text + " already"};
  if (!made) fail("cannot create tenant " + wanted.id.text, made.why());
  std::cout << wanted.id.text << std::endl;
}

void print_tenants(storage::session& db) {
  const auto all = storage::list_tenants(db);
  if (!all) fail("cannot list tenants", all.why());
  for (const auto& each : *all)
    std::cout << each.id.text << "\t" << each.status << "\t" << each.created_at << "\t" << each.name
              << "\n";
}

void print_new_key(storage::session& db, const tenant_id& tenant) {
  const auto tenants = storage::list_tenants(db);
  if (!tenants) fail("cannot look for the tenant", tenants.why());
  bool known = tenant.text.empty();
  for (const auto& each : *tenants)
    known = known || each.id == tenant;
  if (!known) throw trouble{"there is no tenant " + tenant.text};
  const auto key = http::make_key(tenant);
  const auto made = storage::create_key(db, tenant, key.prefix, key.digest);
  if (!made) fail("cannot create a key", made.why());
  std::cout << key.whole_text << std::endl; // once: only its digest is kept
}

void print_keys(storage::session& db, const tenant_id& tenant) {
  const auto all = storage::list_keys(db, tenant);
  if (!all) fail("cannot list keys", all.why());
  for (const auto& each : *all)
    std::cout << each.prefix << "\t" << each.created_at << "\t"
              << (each.revoked_at.empty() ? "live" : "revoked " + each.revoked_at) << "\n";
}

void end_key(storage::session& db, const std::string& prefix) {
  const auto done = storage::revoke_key(db, prefix);
  if (done.error() == errc::not_found) throw trouble{"there is no live key " + prefix};
  if (!done) fail("cannot revoke key " + prefix, done.why());
}

} // namespace

void add_tenant(command_line line) {
  auto* tenant = line.app.add_subcommand("tenant", "create or list tenants")->require_subcommand(1);
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
}

void add_key(command_line line) {
  auto* key =
      line.app.add_subcommand("key", "create, list or revoke API keys")->require_subcommand(1);
  auto tenant = std::make_shared<tenant_id>();
  auto of_operator = std::make_shared<bool>(false);
  for (const auto* name : {"create", "list"}) {
    const std::string verb = name;
    auto* command = key->add_subcommand(verb, verb == "create" ? "a new key, printed once"
                                                               : "prefixes, never secrets");
    auto* whose = command->add_option("tenant", tenant->text, "whose key");
    command->add_flag("--operator", *of_operator, "the operator's, not a tenant's")
        ->excludes(whose);
    command->final_callback([line, tenant, of_operator, verb] {
      if (tenant->text.empty() && !*of_operator) throw trouble{"name a tenant, or say --operator"};
      storage::session db{database_of(line.read())};
      if (verb == "create")
        print_new_key(db, *tenant);
      else
        print_keys(db, *tenant);
    });
  }
  auto prefix = std::make_shared<std::string>();
  auto* revoke = key->add_subcommand("revoke", "a key ends within a second");
  revoke->add_option("prefix", *prefix, "the public part, ar_live_<prefix>_...")->required();
  revoke->final_callback([line, prefix] {
    storage::session db{database_of(line.read())};
    end_key(db, *prefix);
  });
}

} // namespace arauto::deployment
