#include "http/dead_letters.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "actors/office.hpp"
#include "http/lists.hpp"
#include "http/members.hpp"
#include "http/routes.hpp"
#include "http/time.hpp"
#include "storage/model/uuid.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

using json = nlohmann::ordered_json;

constexpr int page_default = 50;

// -- reading -------------------------------------------------------------------

const char* fault_of_cause(std::string_view text) {
  const bool fits = !text.empty() && text.size() <= 64
                    && std::all_of(text.begin(), text.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  return fits ? nullptr : "a cause such as refused or attempts_exhausted is expected";
}

// One value of the filter; gives what is wrong with it.
using reader = const char* (*)(const std::string& text, storage::dead_letter_filter& into);

const char* read_cause(const std::string& text, storage::dead_letter_filter& into) {
  into.cause = text;
  return fault_of_cause(text);
}

const char* read_type(const std::string& text, storage::dead_letter_filter& into) {
  into.type = text;
  return fault_of_type(text);
}

const char* read_channel(const std::string& text, storage::dead_letter_filter& into) {
  into.via = channel_spelled(text);
  return into.via ? nullptr : "this channel is not known";
}

const char* read_since(const std::string& text, storage::dead_letter_filter& into) {
  return read_when(text, into.since);
}

const char* read_until(const std::string& text, storage::dead_letter_filter& into) {
  return read_when(text, into.until);
}

constexpr std::pair<const char*, reader> filter_members[] = {{"cause", read_cause},
                                                             {"type", read_type},
                                                             {"channel", read_channel},
                                                             {"since", read_since},
                                                             {"until", read_until}};

struct page_asked {
  storage::dead_letter_filter which;
  std::optional<storage::dead_letter_place> after;
  int rows = page_default;
};

or_problem<page_asked> read_page(const parameters& given) {
  page_asked page;
  for (const auto& [name, read] : filter_members)
    if (const auto at = given.find(name); at != given.end())
      if (const char* fault = read(at->second, page.which)) return wrong_parameter(name, fault);
  if (const auto at = given.find("limit"); at != given.end())
    if (const char* fault = read_page_rows(at->second, page.rows))
      return wrong_parameter("limit", fault);
  if (const auto at = given.find("cursor"); at != given.end()) {
    page.after = read_cursor(at->second);
    if (!page.after) return wrong_parameter("cursor", foreign_cursor);
  }
  return page;
}

or_problem<storage::paced_replay> read_paced_replay(std::string_view body,
                                                    const http_settings& limits) {
  const auto read = read_body(body, limits);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"cause", "type", "channel", "since", "until", "all", "limit", "per_second",
           "even_if_doubtful", "cursor"});
  storage::paced_replay wanted;
  bool filtered = false;
  for (const auto& [name, read_one] : filter_members)
    if (const auto* text = in.text(name, need::optional)) {
      filtered = filtered || std::string_view{name} != "until";
      if (const char* fault = read_one(*text, wanted.which)) in.wrong(name, fault);
    }
  const bool all = in.truth("all", need::optional).value_or(false);
  if (all == filtered && errors.empty())
    in.wrong("all", all ? "contradicts the filter"
                        : "true is expected where no cause, type, channel or since is given");
  if (const auto rows = in.whole("limit", need::optional, 1, 10'000))
    wanted.rows_max = static_cast<int>(*rows);
  if (const auto pace = in.whole("per_second", need::optional, 1, 1'000))
    wanted.per_second = static_cast<int>(*pace);
  wanted.even_if_doubtful = in.truth("even_if_doubtful", need::optional).value_or(false);
  if (const auto* cursor = in.text("cursor", need::optional)) {
    wanted.after = read_cursor(*cursor);
    if (!wanted.after) in.wrong("cursor", foreign_cursor);
  }
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  return wanted;
}

or_problem<bool> read_even_if_doubtful(std::string_view body, const http_settings& limits) {
  if (body.empty()) return false;
  const auto read = read_body(body, limits);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"even_if_doubtful"});
  const bool even = in.truth("even_if_doubtful", need::optional).value_or(false);
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  return even;
}

// -- telling -------------------------------------------------------------------

json told_dead_letter(const storage::dead_letter& one) {
  json told = {{"id", one.key.event.text},
               {"channel", spelled(one.key.via)},
               {"type", one.type},
               {"user_id", one.user.text},
               {"client_operation_id", one.operation.text},
               {"cause", one.cause}};
  set_unless_empty(told, "detail", one.detail);
  told["attempts"] = one.attempts;
  told["replays"] = one.replays;
  told["doubtful"] = one.doubtful;
  set_unless_empty(told, "doubted_at", one.doubted_at);
  set_unless_empty(told, "stop_reason", one.stop_reason);
  told["erased"] = one.erased;
  told["created_at"] = one.created_at;
  told["settled_at"] = one.settled_at;
  return told;
}

json cursor_or_null(const std::optional<storage::dead_letter_place>& place) {
  return place ? json(written_cursor(*place)) : json(nullptr);
}

answer told(const json& what) {
  answer said;
  said.body = what.dump(-1, ' ', false, json::error_handler_t::replace);
  return said;
}

or_problem<answer> told_replay(const delivery_key& which, const storage::replay_answer& came_to) {
  using v = storage::replay_verdict;
  switch (came_to.verdict) {
  case v::stopped: return refusal(problem_code::delivery_stopped, "what was stopped is never sent");
  case v::erased:
    return refusal(problem_code::notification_erased,
                   "its words are gone, there is nothing to send");
  case v::doubtful:
    return refusal(problem_code::delivery_doubtful,
                   "the provider may have it already; even_if_doubtful sends it all the same");
  case v::not_dead:
    return refusal(problem_code::not_a_dead_letter, "the delivery is " + to_string(came_to.now));
  case v::replayed:
  case v::already: break;
  }
  json what = {
      {"id", which.event.text}, {"channel", spelled(which.via)}, {"state", spelled(came_to.now)}};
  set_unless_empty(what, "next_attempt_at", came_to.next_attempt_at);
  what["replayed"] = came_to.verdict == v::replayed;
  return told(what);
}

} // namespace

std::string written_cursor(const storage::dead_letter_place& place) {
  std::array<char, 17> time{};
  const auto settled = read_time(place.settled_at).value_or(unix_time{0}).count();
  std::snprintf(time.data(), time.size(), "%016llx", static_cast<unsigned long long>(settled));
  return time.data() + packed_id(place.key.event.text) + to_string(place.key.via);
}

std::optional<storage::dead_letter_place> read_cursor(std::string_view cursor) {
  if (cursor.size() < 48) return std::nullopt;
  const auto settled = read_number<std::int64_t>(cursor.substr(0, 16), 16);
  auto id = unpacked_id(cursor.substr(16, 32));
  const auto via = channel_spelled(cursor.substr(48));
  if (!settled || *settled < 0 || !id || !via) return std::nullopt;
  auto time = written_time(unix_time{*settled});
  if (read_time(time) != unix_time{*settled}) return std::nullopt; // past the year 9999
  return storage::dead_letter_place{std::move(time), {{std::move(*id)}, *via}};
}

or_problem<answer> list_dead_letters(const request& asked, const means& with) {
  auto query = read_query(asked.query, {"cause", "type", "channel", "since", "cursor", "limit"});
  if (auto* no = std::get_if<problem>(&query)) return std::move(*no);
  auto read = read_page(std::get<parameters>(query));
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  const auto& page = std::get<page_asked>(read);
  const auto found = with.sessions.with(
      [&](storage::session& db) {
        return storage::dead_letters(db, asked.tenant, page.which, page.after, page.rows);
      },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  json what = {{"data", json::array()}, {"next", cursor_or_null(found->next)}};
  for (const auto& one : found->letters)
    what["data"].push_back(told_dead_letter(one));
  return told(what);
}

or_problem<answer> replay_delivery(const request& asked, const means& with) {
  const auto even = read_even_if_doubtful(asked.body, with.settings);
  if (const auto* no = std::get_if<problem>(&even)) return *no;
  const auto via = channel_spelled(asked.names.at(1));
  const event_id id{asked.names.at(0)};
  if (!is_uuid(id.text) || !via) return refusal(problem_code::not_found);
  const delivery_key which{id, *via};
  const auto came_to = with.sessions.with(
      [&](storage::session& db) {
        return storage::replay(db, asked.tenant, which, std::get<bool>(even));
      },
      with.settings.database_patience);
  if (!came_to) return problem_of(came_to.why());
  if (came_to->verdict == storage::replay_verdict::replayed) with.staff.work_ready(asked.tenant);
  return told_replay(which, *came_to);
}

or_problem<answer> replay_dead_letters(const request& asked, const means& with) {
  auto read = read_paced_replay(asked.body, with.settings);
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  const auto& wanted = std::get<storage::paced_replay>(read);
  const auto made = with.sessions.with(
      [&](storage::session& db) { return storage::replay_dead_letters(db, asked.tenant, wanted); },
      with.settings.database_patience);
  if (!made) return problem_of(made.why());
  if (made->replayed > 0) with.staff.work_ready(asked.tenant);
  json what = {
      {"replayed", made->replayed},
      {"skipped",
       {{"doubtful", made->doubtful}, {"stopped", made->stopped}, {"erased", made->erased}}},
      {"last_due_at", nullptr},
      {"next", cursor_or_null(made->next)}};
  if (!made->last_due_at.empty()) what["last_due_at"] = made->last_due_at;
  return told(what);
}

} // namespace arauto::http
