#include "http/users.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "http/members.hpp"
#include "storage/model/address.hpp"
#include "storage/model/text.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

constexpr std::size_t types_max = 1'000; // of one person's preferences

const char* fault_of_name(std::string_view text) {
  if (text.empty() || text.size() > 255) return "1 to 255 bytes are expected";
  if (has_control(text)) return "control characters are not allowed";
  return nullptr;
}

// The shape of an IANA name (Area/Place, UTC); whether it exists is asked where it is used.
const char* fault_of_time_zone(std::string_view text) {
  const bool plausible = !text.empty() && text.size() <= 64 && text.front() != '/'
                         && text.back() != '/' && text.find("//") == std::string_view::npos
                         && std::all_of(text.begin(), text.end(), [](char c) {
                              return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')
                                     || (c >= 'a' && c <= 'z') || c == '_' || c == '-' || c == '+'
                                     || c == '/';
                            });
  return plausible ? nullptr : "an IANA time zone such as America/Recife is expected";
}

void read_optional(members& in, std::string_view name, const char* (*fault_of)(std::string_view),
                   std::string& into) {
  const auto* text = in.text(name, need::optional);
  if (text == nullptr) return;
  if (const char* fault = fault_of(*text))
    in.wrong(name, fault);
  else
    into = *text;
}

// `from` maps channels to true or false; a word that is no channel is remembered in `unknown`.
storage::channel_choices read_choices(const nlohmann::json& from, const std::string& at,
                                      std::vector<field_error>& errors,
                                      std::vector<field_error>& unknown) {
  storage::channel_choices choices;
  members in{from, at, errors};
  if (!from.is_object()) return choices;
  for (auto item = from.begin(); item != from.end(); ++item) {
    const auto via = channel_spelled(item.key());
    if (!via)
      unknown.push_back({in.pointer(item.key()), "this channel is not known"});
    else if (const auto allowed = in.truth(item.key(), need::required))
      choices[*via] = *allowed;
  }
  return choices;
}

nlohmann::ordered_json told_choices(const storage::channel_choices& choices) {
  auto told = nlohmann::ordered_json::object();
  for (const auto& [via, allowed] : choices)
    told[std::string{spelled(via)}] = allowed;
  return told;
}

// A user id in a path that no user can have looks like one that no user has.
std::optional<problem> refuse_user(const request& asked) {
  if (fault_of_user_id(asked.names.at(0)) == nullptr) return std::nullopt;
  return refusal(problem_code::not_found);
}

answer with_body(std::string body) {
  answer told;
  told.body = std::move(body);
  return told;
}

answer without_body() {
  answer told;
  told.status = 204;
  return told;
}

} // namespace

or_problem<storage::recipient> read_recipient(std::string_view body, const http_settings& limits) {
  const auto read = read_body(body, limits);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"email", "name", "locale", "time_zone"});
  storage::recipient who;
  read_optional(in, "name", fault_of_name, who.name);
  read_optional(in, "locale", fault_of_locale, who.locale);
  read_optional(in, "time_zone", fault_of_time_zone, who.time_zone);
  const auto* email = in.text("email", need::optional);
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  if (email != nullptr) {
    const auto address = parse_address(*email);
    if (!address)
      return refusal(problem_code::invalid_address, {}, {{"/email", address.why().text}});
    who.email = *email;
    who.email_key = address->key;
  }
  return who;
}

std::string told_recipient(const storage::recipient& who) {
  nlohmann::ordered_json told = {{"user_id", who.user.text}};
  const auto set = [&](const char* name, const std::string& text) {
    if (!text.empty()) told[name] = text;
  };
  set("email", who.email);
  set("name", who.name);
  set("locale", who.locale);
  set("time_zone", who.time_zone);
  return told.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

or_problem<storage::preferences> read_preferences(std::string_view body,
                                                  const http_settings& limits) {
  const auto read = read_body(body, limits);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  std::vector<field_error> unknown;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"channels", "types"});
  storage::preferences said;
  const auto keep = [&](const std::string& type, storage::channel_choices choices) {
    if (!choices.empty()) said[type] = std::move(choices);
  };
  if (const auto* channels = in.object("channels", need::optional))
    keep("", read_choices(*channels, in.pointer("channels"), errors, unknown));
  if (const auto* types = in.object("types", need::optional)) {
    if (types->size() > types_max)
      in.wrong("types", "at most " + std::to_string(types_max) + " types");
    for (auto item = types->begin(); item != types->end(); ++item) {
      const auto at = pointer_to("/types", item.key());
      if (const char* fault = fault_of_type(item.key()))
        errors.push_back({at, fault});
      else
        keep(item.key(), read_choices(item.value(), at, errors, unknown));
    }
  }
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  if (!unknown.empty()) return refusal(problem_code::unknown_channel, {}, std::move(unknown));
  return said;
}

std::string told_preferences(const storage::preferences& said,
                             const std::vector<storage::stop_view>* stops) {
  nlohmann::ordered_json told = {{"channels", nlohmann::ordered_json::object()},
                                 {"types", nlohmann::ordered_json::object()}};
  for (const auto& [type, choices] : said) {
    if (type.empty())
      told["channels"] = told_choices(choices);
    else
      told["types"][type] = told_choices(choices);
  }
  if (stops != nullptr)
    for (const char* word : {"stopped", "in_flight", "in_doubt"})
      told[word] = std::count_if(stops->begin(), stops->end(), [&](const storage::stop_view& stop) {
        return stop.came_to == word;
      });
  return told.dump();
}

or_problem<answer> put_user(const request& asked, const means& with) {
  if (const char* fault = fault_of_user_id(asked.names.at(0)))
    return refusal(problem_code::invalid_request, std::string{"the user id in the path: "} + fault);
  auto read = read_recipient(asked.body, with.settings);
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  auto& who = std::get<storage::recipient>(read);
  who.user.text = asked.names.at(0);
  const auto put = with.sessions.with(
      [&](storage::session& db) { return storage::put_recipient(db, asked.tenant, who); },
      with.settings.database_patience);
  if (!put) return problem_of(put.why());
  return with_body(told_recipient(who));
}

or_problem<answer> get_user(const request& asked, const means& with) {
  if (auto no = refuse_user(asked)) return std::move(*no);
  const user_id user{asked.names.at(0)};
  const auto found = with.sessions.with(
      [&](storage::session& db) { return storage::find_recipient(db, asked.tenant, user); },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  return with_body(told_recipient(*found));
}

or_problem<answer> delete_user(const request& asked, const means& with) {
  if (auto no = refuse_user(asked)) return std::move(*no);
  const user_id user{asked.names.at(0)};
  const auto erased = with.sessions.with(
      [&](storage::session& db) { return storage::erase_recipient(db, asked.tenant, user); },
      with.settings.database_patience);
  if (!erased) return problem_of(erased.why());
  return without_body();
}

or_problem<answer> put_user_preferences(const request& asked, const means& with) {
  if (auto no = refuse_user(asked)) return std::move(*no);
  auto read = read_preferences(asked.body, with.settings);
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  const auto& wanted = std::get<storage::preferences>(read);
  const user_id user{asked.names.at(0)};
  const auto stops = with.sessions.with(
      [&](storage::session& db) {
        return storage::put_preferences(db, asked.tenant, user, wanted);
      },
      with.settings.database_patience);
  if (!stops) return problem_of(stops.why());
  return with_body(told_preferences(wanted, &*stops));
}

or_problem<answer> get_user_preferences(const request& asked, const means& with) {
  if (auto no = refuse_user(asked)) return std::move(*no);
  const user_id user{asked.names.at(0)};
  const auto found = with.sessions.with(
      [&](storage::session& db) { return storage::find_preferences(db, asked.tenant, user); },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  return with_body(told_preferences(*found, nullptr));
}

} // namespace arauto::http
