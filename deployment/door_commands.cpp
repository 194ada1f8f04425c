// door: which database roles may call arauto.notify, and for whom. Works on the database, beside a
// running service.
#include <iostream>
#include <memory>

#include "deployment/commands.hpp"
#include "deployment/trouble.hpp"
#include "storage/door.hpp"

namespace arauto::deployment {

namespace {

void bind(storage::session& db, const storage::door_view& wanted) {
  const auto made = storage::bind_door(db, wanted, of_this_account());
  if (!made) fail("cannot bind " + wanted.role, made.why());
}

void unbind(storage::session& db, const std::string& role) {
  const auto made = storage::unbind_door(db, role, of_this_account());
  if (made.error() == errc::not_found) throw trouble{role + " is not bound"};
  if (!made) fail("cannot unbind " + role, made.why());
}

void print_doors(storage::session& db) {
  const auto all = storage::list_doors(db);
  if (!all) fail("cannot list doors", all.why());
  for (const auto& each : *all)
    std::cout << each.role << "\t" << each.tenant.text << "\t" << each.created_at << "\t"
              << (each.wakes ? "wakes" : "quiet") << (each.has_rights ? "" : "\tbind it again")
              << "\n";
}

} // namespace

void add_door(command_line line) {
  auto* door = line.app.add_subcommand("door", "bind database roles to a tenant: arauto.notify")
                   ->require_subcommand(1);
  auto wanted = std::make_shared<storage::door_view>();
  auto quiet = std::make_shared<bool>(false);
  auto* bound = door->add_subcommand("bind", "a role may call arauto.notify for one tenant");
  bound->add_option("role", wanted->role, "an existing role of the database")->required();
  bound->add_option("--tenant", wanted->tenant.text, "for whom")->required();
  bound->add_flag("--quiet", *quiet, "its commits do not notify; the poll finds its work");
  bound->final_callback([line, wanted, quiet] {
    wanted->wakes = !*quiet;
    storage::session db{database_of(line.read())};
    bind(db, *wanted);
  });
  auto* unbound = door->add_subcommand("unbind", "it may no more, from now on");
  unbound->add_option("role", wanted->role, "the role")->required();
  unbound->final_callback([line, wanted] {
    storage::session db{database_of(line.read())};
    unbind(db, wanted->role);
  });
  door->add_subcommand("list", "all bound roles")->final_callback([line] {
    storage::session db{database_of(line.read())};
    print_doors(db);
  });
}

} // namespace arauto::deployment
