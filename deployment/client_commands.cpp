// send and status: the API from a terminal. Where client.url is not set they ask the `arauto dev`
// of the data directory.
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "deployment/commands.hpp"
#include "deployment/dev.hpp"
#include "deployment/trouble.hpp"
#include "http/client.hpp"
#include "storage/model/chance.hpp"
#include "storage/model/uuid.hpp"

namespace arauto::deployment {

using namespace std::chrono_literals;

namespace {

struct wish {
  std::string user, type, variables = "{}", operation, send_at, expires_at;
  std::vector<std::string> channels;
  int wait_s = 0;
};

http::client_settings client_of(const settings& from) {
  http::client_settings made{from.client_url, from.client_key};
  if (!made.url.empty() && !made.key.empty()) return made;
  const auto dev = read_dev_facts(from.data);
  if (!dev)
    throw trouble{"client.url and client.key are not set, and there is no "
                  + (from.data / "dev.json").string()};
  if (made.url.empty()) made.url = dev->url;
  if (made.key.empty()) made.key = dev->api_key;
  return made;
}

// The body as the API gave it; trouble for anything else than success.
std::string must_succeed(const result<http::client_answer>& got) {
  if (!got) fail("cannot ask", got.why());
  if (got->status / 100 != 2)
    throw trouble{"answer " + std::to_string(got->status) + ": " + got->body};
  return got->body;
}

// Texts of our own, glued around the variables exactly as they were written: numbers must not pass
// through a double.
std::string body_of(const wish& wanted) {
  nlohmann::json body{
      {"user_id", wanted.user}, {"type", wanted.type}, {"client_operation_id", wanted.operation}};
  if (!wanted.channels.empty()) body["channels"] = wanted.channels;
  if (!wanted.send_at.empty()) body["send_at"] = wanted.send_at;
  if (!wanted.expires_at.empty()) body["expires_at"] = wanted.expires_at;
  auto text = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.back() = ',';
  return text + "\"variables\":" + wanted.variables + "}";
}

std::string status_of(const http::client_settings& from, const std::string& id) {
  return must_succeed(http::get(from, "/v1/notifications/" + id));
}

// Polls until no delivery is on its way any more; the last status either way.
std::string wait_for_end(const http::client_settings& from, const std::string& id, int wait_s) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{wait_s};
  for (;;) {
    auto said = status_of(from, id);
    const auto status = nlohmann::json::parse(said).value("status", "");
    const bool open = status == "accepted" || status == "in_progress";
    if (!open || std::chrono::steady_clock::now() > give_up) return said;
    std::this_thread::sleep_for(50ms);
  }
}

void send(const settings& with, wish wanted) {
  const auto to = client_of(with);
  if (wanted.operation.empty()) wanted.operation = "cli-" + random_base62(20);
  const auto answer = must_succeed(http::post(to, "/v1/notifications", body_of(wanted)));
  if (wanted.wait_s == 0) {
    std::cout << answer << std::endl;
    return;
  }
  const auto id = nlohmann::json::parse(answer).at("id").get<std::string>();
  std::cout << wait_for_end(to, id, wanted.wait_s) << std::endl;
}

} // namespace

void add_send(command_line line) {
  auto* command = line.app.add_subcommand("send", "one notification, by the API");
  auto wanted = std::make_shared<wish>();
  command->add_option("user", wanted->user, "who is told")->required();
  command->add_option("type", wanted->type, "of the event, as order.shipped")->required();
  command->add_option("--variables", wanted->variables, "a JSON object for the template");
  command->add_option("--operation", wanted->operation,
                      "client_operation_id; a new one unless given");
  command->add_option("--channel", wanted->channels,
                      "email or push; all that have a template unless given");
  command->add_option("--send-at", wanted->send_at, "RFC 3339");
  command->add_option("--expires-at", wanted->expires_at, "RFC 3339");
  command->add_option("--wait", wanted->wait_s,
                      "seconds to wait for its end; then the status is printed");
  command->final_callback([line, wanted] { send(line.read(), *wanted); });
}

void add_status(command_line line) {
  auto* command = line.app.add_subcommand("status", "what became of a notification, by the API");
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "of the notification")->required();
  command->final_callback([line, id] {
    if (id->find_first_not_of("0123456789abcdef-") != std::string::npos)
      throw trouble{"not the id of a notification"};
    std::cout << status_of(client_of(line.read()), *id) << std::endl;
  });
}

} // namespace arauto::deployment
