// send, status, resolve, dead and replay: the API from a terminal. Where client.url is not set they
// ask the `arauto dev` of the data directory.
#include <cctype>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "deployment/commands.hpp"
#include "deployment/dev.hpp"
#include "deployment/trouble.hpp"
#include "http/client.hpp"
#include "storage/model/chance.hpp"
#include "storage/model/channel.hpp"
#include "storage/model/uuid.hpp"

namespace arauto::deployment {

using namespace std::chrono_literals;

namespace {

struct wish {
  std::string user, type, variables = "{}", operation, send_at, expires_at;
  std::vector<std::string> channels;
  int wait_s = 0;
};

// What `dead` and `replay` may say of the dead letters they mean; empty: not said.
struct dead_letter_wish {
  std::string id, of_channel; // replay of one
  std::string cause, type, channel, since, until, cursor;
  int limit = 0, per_second = 0; // 0: the service's own
  bool all = false, even_if_doubtful = false;

  bool says_which() const {
    const auto texts = cause + type + channel + since + until;
    return all || !texts.empty() || limit != 0 || per_second != 0;
  }
  std::vector<std::pair<const char*, std::string>> filter() const {
    return {{"cause", cause}, {"type", type}, {"channel", channel}, {"since", since}};
  }
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

void need_id(const std::string& id) {
  if (id.empty() || id.find_first_not_of("0123456789abcdef-") != std::string::npos)
    throw trouble{"not the id of a notification"};
}

std::string percent_encoded(const std::string& text) {
  std::ostringstream made;
  made << std::hex << std::uppercase << std::setfill('0');
  for (const unsigned char c : text)
    if (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.')
      made << c;
    else
      made << '%' << std::setw(2) << int{c};
  return made.str();
}

std::string dead_letters(const settings& with, const dead_letter_wish& wanted) {
  std::string query;
  auto parameters = wanted.filter();
  parameters.emplace_back("cursor", wanted.cursor);
  if (wanted.limit != 0) parameters.emplace_back("limit", std::to_string(wanted.limit));
  for (const auto& [name, value] : parameters)
    if (!value.empty())
      query += std::string{query.empty() ? "?" : "&"} + name + "=" + percent_encoded(value);
  return must_succeed(http::get(client_of(with), "/v1/dead-letters" + query));
}

std::string replay_one(const settings& with, const dead_letter_wish& wanted) {
  need_id(wanted.id);
  if (wanted.says_which()) throw trouble{"an id and a filter contradict each other"};
  if (!channel_spelled(wanted.of_channel)) throw trouble{"the channel is email or push"};
  const nlohmann::json body{{"even_if_doubtful", wanted.even_if_doubtful}};
  return must_succeed(
      http::post(client_of(with),
                 "/v1/notifications/" + wanted.id + "/deliveries/" + wanted.of_channel + "/replay",
                 body.dump()));
}

std::string replay_many(const settings& with, const dead_letter_wish& wanted) {
  nlohmann::json body{{"even_if_doubtful", wanted.even_if_doubtful}};
  for (const auto& [name, value] : wanted.filter())
    if (!value.empty()) body[name] = value;
  if (!wanted.until.empty()) body["until"] = wanted.until;
  if (wanted.all) body["all"] = true;
  if (wanted.limit != 0) body["limit"] = wanted.limit;
  if (wanted.per_second != 0) body["per_second"] = wanted.per_second;
  const auto text = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return must_succeed(http::post(client_of(with), "/v1/dead-letters/replay", text));
}

void add_filter(CLI::App& command, dead_letter_wish& wanted) {
  command.add_option("--cause", wanted.cause, "as refused or attempts_exhausted");
  command.add_option("--type", wanted.type, "of the event");
  command.add_option("--channel", wanted.channel, "email or push");
  command.add_option("--since", wanted.since, "ended at or after; RFC 3339");
  command.add_option("--limit", wanted.limit, "at most so many")->check(CLI::PositiveNumber);
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
    need_id(*id);
    std::cout << status_of(client_of(line.read()), *id) << std::endl;
  });
}

void add_resolve(command_line line) {
  auto* command =
      line.app.add_subcommand("resolve", "says what became of a delivery in doubt, by the API");
  struct word {
    std::string id, of_channel, as;
  };
  auto said = std::make_shared<word>();
  command->add_option("id", said->id, "of the notification")->required();
  command->add_option("of_channel", said->of_channel, "email or push")
      ->required()
      ->check(CLI::IsMember({"email", "push"}));
  command->add_option("as", said->as, "accepted or not_accepted: what the provider did")
      ->required()
      ->check(CLI::IsMember({"accepted", "not_accepted"}));
  command->final_callback([line, said] {
    need_id(said->id);
    std::cout << must_succeed(
        http::post(client_of(line.read()),
                   "/v1/notifications/" + said->id + "/deliveries/" + said->of_channel + "/resolve",
                   nlohmann::json{{"as", said->as}}.dump()))
              << std::endl;
  });
}

void add_dead(command_line line) {
  auto* command = line.app.add_subcommand("dead", "what failed for good, newest first, by the API");
  auto wanted = std::make_shared<dead_letter_wish>();
  add_filter(*command, *wanted);
  command->add_option("--cursor", wanted->cursor, "`next` of the page before");
  command->final_callback(
      [line, wanted] { std::cout << dead_letters(line.read(), *wanted) << std::endl; });
}

void add_replay(command_line line) {
  auto* command =
      line.app.add_subcommand("replay", "one dead letter, or many at a pace, once more");
  auto wanted = std::make_shared<dead_letter_wish>();
  command->add_option("id", wanted->id, "of the notification, for one");
  command->add_option("of_channel", wanted->of_channel, "its channel: email or push");
  add_filter(*command, *wanted);
  command->add_option("--until", wanted->until, "ended before; RFC 3339");
  command->add_flag("--all", wanted->all, "where nothing narrows it");
  command->add_option("--per-second", wanted->per_second, "pace; 10 unless given")
      ->check(CLI::PositiveNumber);
  command->add_flag("--even-if-doubtful", wanted->even_if_doubtful,
                    "also what the provider may have already");
  command->final_callback([line, wanted] {
    const bool one = !wanted->id.empty();
    std::cout << (one ? replay_one(line.read(), *wanted) : replay_many(line.read(), *wanted))
              << std::endl;
  });
}

} // namespace arauto::deployment
