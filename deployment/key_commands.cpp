// key: who may ask. Works on the database, beside a running service.
#include <iostream>
#include <memory>

#include "deployment/commands.hpp"
#include "deployment/trouble.hpp"
#include "http/credentials.hpp"
#include "http/time.hpp"
#include "storage/keys.hpp"

namespace arauto::deployment {

namespace {

struct key_asked {
  tenant_id tenant;
  bool of_operator = false;
  std::string scopes = to_string(scopes::all());
  std::string expires, name;
};

void print_new_key(storage::session& db, const key_asked& asked) {
  const auto key = http::make_key(asked.tenant);
  storage::key_wanted wanted{asked.tenant, key.prefix, key.digest, {}, asked.name, {}};
  if (!asked.of_operator) {
    const auto granted = scopes_spelled(asked.scopes);
    if (!granted || granted->empty())
      throw trouble{"--scopes: some of send,read,preferences,admin are expected"};
    wanted.granted = *granted;
  }
  if (!asked.expires.empty()) {
    const auto when = http::read_time(asked.expires);
    if (!when) throw trouble{"--expires: a time such as 2027-03-01T00:00:00Z is expected"};
    wanted.expires_at = http::written_time(*when);
  }
  const auto made = storage::create_key(db, wanted, of_this_account());
  if (made.error() == errc::not_found) throw trouble{"there is no tenant " + asked.tenant.text};
  if (made.error() == errc::already_exists)
    throw trouble{"two keys of " + asked.tenant.text + " live already: revoke one first"};
  if (made.error() == errc::bad_input)
    throw trouble{"the key would be past its end, or its name is longer than 100 characters"};
  if (!made) fail("cannot create a key", made.why());
  std::cout << key.whole_text << std::endl; // once: only its digest is kept
}

void print_keys(storage::session& db, const tenant_id& tenant) {
  const auto all = storage::list_keys(db, tenant);
  if (all.error() == errc::not_found) throw trouble{"there is no tenant " + tenant.text};
  if (!all) fail("cannot list keys", all.why());
  const auto or_never = [](const std::string& when) { return when.empty() ? "never" : when; };
  for (const auto& each : *all)
    std::cout << each.prefix << "\t" << each.state << "\t" << each.scopes << "\tcreated "
              << each.created_at << "\texpires " << or_never(each.expires_at) << "\tused "
              << or_never(each.last_used_at) << "\t" << each.name << "\n";
}

void end_key(storage::session& db, const std::string& prefix) {
  const auto done = storage::revoke_key(db, prefix, of_this_account());
  if (done.error() == errc::not_found) throw trouble{"there is no key " + prefix};
  if (!done) fail("cannot revoke key " + prefix, done.why());
}

} // namespace

void add_key(command_line line) {
  auto* key =
      line.app.add_subcommand("key", "create, list or revoke API keys")->require_subcommand(1);
  auto asked = std::make_shared<key_asked>();
  for (const auto* name : {"create", "list"}) {
    const std::string verb = name;
    auto* command = key->add_subcommand(verb, verb == "create" ? "a new key, printed once"
                                                               : "prefixes, never secrets");
    auto* whose = command->add_option("tenant", asked->tenant.text, "whose key");
    auto* ours =
        command->add_flag("--operator", asked->of_operator, "an operator's key")->excludes(whose);
    if (verb == "create") {
      command
          ->add_option("--scopes", asked->scopes,
                       "some of send,read,preferences,admin; all unless given")
          ->excludes(ours);
      command->add_option("--expires", asked->expires, "when it ends, as 2027-03-01T00:00:00Z");
      command->add_option("--name", asked->name, "for people");
    }
    command->final_callback([line, asked, verb] {
      if (asked->tenant.text.empty() && !asked->of_operator)
        throw trouble{"name a tenant, or say --operator"};
      storage::session db{database_of(line.read())};
      if (verb == "create")
        print_new_key(db, *asked);
      else
        print_keys(db, asked->tenant);
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
