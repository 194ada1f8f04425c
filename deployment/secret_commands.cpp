// vapid, secrets: fresh keys, printed once. They touch neither settings nor the database.
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "actors/channels/web_push_crypt.hpp"
#include "deployment/commands.hpp"
#include "deployment/trouble.hpp"
#include "storage/sealing.hpp"

namespace arauto::deployment {

namespace {

void print_vapid(const std::string& subject) {
  const auto pair = channels::new_vapid_pair();
  nlohmann::ordered_json told = {{"public_key", pair.public_key},
                                 {"private_key", pair.private_key}};
  if (!subject.empty()) told["subject"] = subject;
  std::cout << told.dump() << std::endl;
}

} // namespace

void add_vapid(command_line line) {
  auto* vapid = line.app.add_subcommand(
      "vapid", "a fresh pair for Web Push, as an account wants it; browsers get the public key");
  auto subject = std::make_shared<std::string>();
  vapid->add_option("--subject", *subject, "whom push services may ask: mailto: or https:");
  vapid->final_callback([subject] { print_vapid(*subject); });
}

void add_secrets(command_line line) {
  auto* secrets =
      line.app.add_subcommand("secrets", "keys that seal tenants' accounts")->require_subcommand(1);
  auto name = std::make_shared<std::string>();
  auto* fresh = secrets->add_subcommand(
      "new", "a fresh line for secrets.key_file; put it first, restart, then `account reseal`");
  fresh->add_option("name", *name, "its name, such as 2026-12")->required();
  fresh->final_callback([name] {
    const auto made = storage::seal_ring::new_line(*name);
    if (made.empty()) throw trouble{"name: 1 to 64 of letters, digits, . - _ are expected"};
    std::cout << made << (made.back() == '\n' ? "" : "\n") << std::flush;
  });
}

} // namespace arauto::deployment
