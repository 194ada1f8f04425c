// vapid: fresh keys, printed once. Touches neither settings nor the database.
#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "actors/channels/web_push_crypt.hpp"
#include "deployment/commands.hpp"

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

} // namespace arauto::deployment
