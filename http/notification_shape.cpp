#include "http/notification_shape.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "http/members.hpp"

namespace arauto::http {

namespace {

constexpr unix_time ahead_max = std::chrono::hours{24 * 90};

// Two ways to say no: the shape is wrong (400, all mistakes at once), or it cannot be meant (422).
struct faults {
  std::vector<field_error> shape;
  std::optional<problem> meaning; // the first

  void add(problem_code code, std::string pointer, std::string detail) {
    if (!meaning) meaning = refusal(code, {}, {{std::move(pointer), std::move(detail)}});
  }
};

void read_name(members& in, std::string_view name, const char* (*fault_of)(std::string_view),
               std::string& into) {
  const auto* text = in.text(name, need::required);
  if (text == nullptr) return;
  if (const char* fault = fault_of(*text))
    in.wrong(name, fault);
  else
    into = *text;
}

void read_operation(members& in, std::optional<std::string_view> header, faults& found,
                    operation_id& into) {
  constexpr std::string_view name = "client_operation_id";
  const auto* text = in.text(name, header ? need::optional : need::required);
  if (text != nullptr)
    if (const char* fault = fault_of_operation_id(*text)) return in.wrong(name, fault);
  if (header) {
    if (const char* fault = fault_of_operation_id(*header)) {
      found.shape.push_back({"", std::string{"Idempotency-Key: "} + fault});
      return;
    }
    if (text != nullptr && *text != *header)
      found.add(problem_code::operation_id_mismatch, in.pointer(name),
                "differs from the Idempotency-Key header");
  }
  if (text != nullptr)
    into.text = *text;
  else if (header)
    into.text = std::string{*header};
}

void read_variables(members& in, const http_settings& limits, faults& found, std::string& into) {
  const auto* text = in.text("variables", need::optional); // the JSON door keeps it as text
  if (text == nullptr) return;
  if (text->empty() || text->front() != '{') return in.wrong("variables", "an object is expected");
  if (text->size() > limits.variables_bytes_max)
    return found.add(problem_code::too_large, in.pointer("variables"),
                     "at most " + std::to_string(limits.variables_bytes_max) + " bytes");
  into = *text;
}

void read_channels(members& in, faults& found, notification& into) {
  const auto* list = in.list("channels", need::optional);
  if (list == nullptr) return;
  if (list->empty()) return in.wrong("channels", "a list with something in it is expected");
  into.channels_given = true;
  if (list->size() > std::size(all_channels)) return in.wrong("channels", "a channel repeats");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto at = "channels/" + std::to_string(i);
    const auto* word = list->at(i).get_ptr<const std::string*>();
    if (word == nullptr) {
      found.shape.push_back({"/" + at, "a string is expected"});
      continue;
    }
    const auto via = channel_spelled(*word);
    if (!via) {
      found.add(problem_code::unknown_channel, "/" + at, "this channel is not known");
      continue;
    }
    if (std::find(into.channels.begin(), into.channels.end(), *via) != into.channels.end())
      found.shape.push_back({"/" + at, "this channel repeats"});
    else
      into.channels.push_back(*via);
  }
  std::sort(into.channels.begin(), into.channels.end());
}

void read_priority(members& in, priority& into) {
  const auto* word = in.text("priority", need::optional);
  if (word == nullptr) return;
  if (const auto known = priority_spelled(*word))
    into = *known;
  else
    in.wrong("priority", "normal or urgent is expected");
}

std::optional<unix_time> read_when(members& in, std::string_view name, std::string& into) {
  const auto* text = in.text(name, need::optional);
  if (text == nullptr) return std::nullopt;
  const auto when = read_time(*text);
  if (when)
    into = written_time(*when);
  else
    in.wrong(name, "an RFC 3339 time with offset is expected, such as 2026-03-01T08:15:00Z");
  return when;
}

void read_times(members& in, unix_time now, faults& found, notification& into) {
  const auto send_at = read_when(in, "send_at", into.send_at);
  const auto expires_at = read_when(in, "expires_at", into.expires_at);
  if (send_at && *send_at > now + ahead_max)
    found.add(problem_code::invalid_time, "/send_at", "at most 90 days ahead");
  if (send_at && expires_at && *expires_at <= *send_at)
    found.add(problem_code::invalid_time, "/expires_at", "must come after send_at");
}

void append_quoted(std::string& json, std::string_view name, std::string_view plain) {
  json += '"';
  json += name;
  json += "\":\"";
  json += plain;
  json += '"';
}

// Written by hand, because it is the hot path; every text in it is ours and needs no escape.
std::string told_accepted(const accept_answer& said) {
  std::vector<state> states;
  bool any_begun = false;
  for (const auto& delivery : said.deliveries) {
    states.push_back(delivery.now);
    any_begun = any_begun || delivery.now == state::retry_wait;
  }
  std::string json = "{";
  append_quoted(json, "id", said.id.text);
  json += ',';
  append_quoted(json, "status", aggregate_status(states, any_begun));
  json += ',';
  append_quoted(json, "created_at", said.created_at);
  json += ",\"deliveries\":[";
  for (const auto& delivery : said.deliveries) {
    if (json.back() == '}') json += ',';
    json += '{';
    append_quoted(json, "channel", spelled(delivery.via));
    json += ',';
    append_quoted(json, "state", spelled(delivery.now));
    json += '}';
  }
  json += "]}";
  return json;
}

problem no_template_for(const notification& asked, const std::string& subject) {
  if (subject.empty())
    return refusal(problem_code::no_template, {}, {{"/type", "no template stands for this type"}});
  auto detail = "no template stands for this type and channel " + subject;
  return refusal(problem_code::no_template, {},
                 {{asked.channels_given ? "/channels" : "/type", std::move(detail)}});
}

nlohmann::ordered_json told_attempt(const storage::attempt_view& attempt) {
  nlohmann::ordered_json told = {{"number", attempt.number}};
  set_unless_empty(told, "begun_at", attempt.begun_at);
  set_unless_empty(told, "ended_at", attempt.ended_at);
  set_unless_empty(told, "outcome", attempt.outcome);
  if (attempt.code != 0) told["code"] = attempt.code;
  set_unless_empty(told, "detail", attempt.detail);
  return told;
}

nlohmann::ordered_json told_target(const storage::target_view& target) {
  nlohmann::ordered_json told = {{"device_id", target.device_id},
                                 {"provider", spelled(target.of.via)}};
  set_unless_empty(told, "app", target.of.app);
  told["state"] = spelled(target.now);
  told["attempts"] = target.attempts;
  set_unless_empty(told, "next_attempt_at", target.next_attempt_at);
  set_unless_empty(told, "provider_ref", target.provider_ref);
  set_unless_empty(told, "cause", target.cause);
  if (target.code != 0) told["code"] = target.code;
  set_unless_empty(told, "detail", target.detail);
  set_unless_empty(told, "settled_at", target.settled_at);
  return told;
}

nlohmann::ordered_json told_delivery(const storage::delivery_view& delivery) {
  nlohmann::ordered_json told = {{"channel", spelled(delivery.via)},
                                 {"state", spelled(delivery.now)},
                                 {"attempts", delivery.attempts},
                                 {"deferrals", delivery.deferrals},
                                 {"doubtful", delivery.doubtful}};
  set_unless_empty(told, "waiting_for", delivery.waits_for);
  set_unless_empty(told, "next_attempt_at", delivery.next_attempt_at);
  set_unless_empty(told, "gives_up_at", delivery.gives_up_at);
  set_unless_empty(told, "resolved_as", delivery.resolved_as);
  set_unless_empty(told, "provider_ref", delivery.provider_ref);
  set_unless_empty(told, "cause", delivery.cause);
  set_unless_empty(told, "detail", delivery.detail);
  set_unless_empty(told, "settled_at", delivery.settled_at);
  auto devices = nlohmann::ordered_json::array();
  for (const auto& target : delivery.targets)
    devices.push_back(told_target(target));
  if (!devices.empty()) told["devices"] = std::move(devices);
  auto trail = nlohmann::ordered_json::array();
  for (const auto& attempt : delivery.trail)
    trail.push_back(told_attempt(attempt));
  if (!trail.empty()) told["trail"] = std::move(trail);
  return told;
}

std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json event_as_json(const storage::event_view& event) {
  std::vector<state> states;
  bool any_begun = false;
  auto deliveries = nlohmann::ordered_json::array();
  for (const auto& delivery : event.deliveries) {
    states.push_back(delivery.now);
    any_begun = any_begun || delivery.attempts > 0;
    deliveries.push_back(told_delivery(delivery));
  }
  nlohmann::ordered_json told = {{"id", event.id.text},
                                 {"user_id", event.user.text},
                                 {"type", event.type},
                                 {"client_operation_id", event.operation},
                                 {"priority", event.priority},
                                 {"status", aggregate_status(states, any_begun)},
                                 {"created_at", event.created_at}};
  set_unless_empty(told, "send_at", event.send_at);
  set_unless_empty(told, "expires_at", event.expires_at);
  set_unless_empty(told, "cancelled_at", event.cancelled_at);
  told["deliveries"] = std::move(deliveries);
  return told;
}

} // namespace

or_problem<notification> read_notification(std::string_view body,
                                           std::optional<std::string_view> idempotency_key,
                                           const http_settings& limits, unix_time now) {
  const auto read = read_body(body, limits);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  return notification_in(std::get<nlohmann::json>(read), idempotency_key, limits, now);
}

or_problem<notification> notification_in(const nlohmann::json& given,
                                         std::optional<std::string_view> idempotency_key,
                                         const http_settings& limits, unix_time now) {
  faults found;
  members in{given, "", found.shape};
  in.only({"user_id", "type", "variables", "client_operation_id", "channels", "priority", "send_at",
           "expires_at"});
  notification asked;
  read_name(in, "user_id", fault_of_user_id, asked.user.text);
  read_name(in, "type", fault_of_type, asked.type);
  read_operation(in, idempotency_key, found, asked.operation);
  read_variables(in, limits, found, asked.variables);
  read_channels(in, found, asked);
  read_priority(in, asked.urgency);
  read_times(in, now, found, asked);
  if (!found.shape.empty())
    return refusal(problem_code::invalid_request, {}, std::move(found.shape));
  if (found.meaning) return std::move(*found.meaning);
  return asked;
}

std::optional<problem> refusal_of(const notification& asked, const accept_answer& said) {
  switch (said.verdict) {
  case acceptance::created:
  case acceptance::replayed: break;
  case acceptance::conflict: return refusal(problem_code::idempotency_conflict);
  case acceptance::unknown_user:
    return refusal(problem_code::unknown_user, {}, {{"/user_id", "this user is not known"}});
  case acceptance::no_template: return no_template_for(asked, said.subject);
  case acceptance::missing_variable:
    return refusal(problem_code::missing_variable, {},
                   {{pointer_to("/variables", said.subject), "the template needs this variable"}});
  case acceptance::expired:
    return refusal(problem_code::invalid_time, {}, {{"/expires_at", "this time has passed"}});
  case acceptance::in_progress: return retry_later(problem_code::operation_in_progress, 1);
  }
  return std::nullopt;
}

or_problem<answer> told_acceptance(const notification& asked, const accept_answer& said) {
  if (auto no = refusal_of(asked, said)) return std::move(*no);
  answer told;
  told.status = 202;
  told.body = told_accepted(said);
  told.headers.emplace_back("Location", "/v1/notifications/" + said.id.text);
  if (said.verdict == acceptance::replayed)
    told.headers.emplace_back("Idempotent-Replayed", "true");
  return told;
}

std::string told_event(const storage::event_view& event) {
  return dumped(event_as_json(event));
}

std::string told_events(const std::vector<storage::event_view>& events,
                        const nlohmann::ordered_json& next, const nlohmann::ordered_json& prev) {
  nlohmann::ordered_json told = {{"data", nlohmann::ordered_json::array()}, {"next", next}};
  for (const auto& event : events)
    told["data"].push_back(event_as_json(event));
  told["prev"] = prev;
  return dumped(told);
}

std::string told_stops(const event_id& id, const std::vector<storage::stop_view>& stops) {
  nlohmann::ordered_json told = {{"id", id.text}};
  told["deliveries"] = nlohmann::ordered_json::array();
  for (const auto& stop : stops)
    told["deliveries"].push_back({{"channel", spelled(stop.via)}, {"result", stop.came_to}});
  return dumped(told);
}

} // namespace arauto::http
