#include "http/templates.hpp"

#include <nlohmann/json.hpp>

#include "http/members.hpp"
#include "http/routes.hpp"
#include "storage/model/rendering.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

// Which template the path and the query name.
struct template_name {
  std::string type;
  channel via = channel::email;
  std::string locale;
};

or_problem<template_name> read_name(const request& asked) {
  template_name name;
  name.type = asked.names.at(0);
  const auto via = channel_spelled(asked.names.at(1));
  if (!via || fault_of_type(name.type) != nullptr) return refusal(problem_code::not_found);
  name.via = *via;
  auto query = read_query(asked.query, {"locale"});
  if (auto* no = std::get_if<problem>(&query)) return std::move(*no);
  const auto& parameters = std::get<0>(query);
  if (const auto given = parameters.find("locale"); given != parameters.end()) {
    if (const char* fault = fault_of_locale(given->second))
      return refusal(problem_code::invalid_request, std::string{"the parameter locale: "} + fault);
    name.locale = given->second;
  }
  return name;
}

constexpr std::int64_t doubt_after_s_max = 30 * 24 * 3'600;
constexpr std::int64_t doubt_resends_max = 10;

// What is to follow when a provider's answer is lost. A member that its policy would not look at is
// refused: it was meant to do something.
doubt_choice read_doubt(members& in) {
  doubt_choice choice;
  auto& policy = choice.policy;
  const auto* word = in.text("policy", need::required);
  if (word == nullptr) return choice;
  const auto rule = doubt_rule_spelled(*word);
  if (!rule) {
    in.wrong("policy", "resend, wait or hold is expected");
    return choice;
  }
  policy.rule = *rule;
  const auto number = [&](const char* name, bool counts, std::int64_t most) {
    if (counts) return in.whole(name, need::optional, 1, most);
    if (in.any(name, need::optional) != nullptr) in.wrong(name, "means nothing with this policy");
    return std::optional<std::int64_t>{};
  };
  if (const auto after = number("after_s", *rule != doubt_rule::hold, doubt_after_s_max))
    policy.after = std::chrono::seconds{*after};
  if (const auto most = number("resends_max", *rule == doubt_rule::resend, doubt_resends_max))
    policy.resends_max = static_cast<int>(*most);
  choice.given = true;
  return choice;
}

nlohmann::ordered_json told_doubt(const doubt_policy& policy) {
  nlohmann::ordered_json told = {{"policy", spelled(policy.rule)}};
  if (policy.rule != doubt_rule::hold)
    told["after_s"] = std::chrono::duration_cast<std::chrono::seconds>(policy.after).count();
  if (policy.rule == doubt_rule::resend) told["resends_max"] = policy.resends_max;
  return told;
}

} // namespace

or_problem<storage::template_view> read_template(std::string_view body, channel via,
                                                 const http_settings& limits) {
  const auto read = read_body(body, limits);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"parts", "private", "in_doubt"});
  storage::template_view wanted;
  wanted.is_private = in.truth("private", need::optional).value_or(false);
  if (const auto* parts = in.object("parts", need::required)) {
    members inside{*parts, "/parts", errors};
    for (auto item = parts->begin(); item != parts->end(); ++item)
      if (const auto* text = inside.text(item.key(), need::required))
        wanted.parts.push_back({item.key(), *text});
  }
  if (const auto* doubt = in.object("in_doubt", need::optional)) {
    members inside{*doubt, "/in_doubt", errors};
    inside.only({"policy", "after_s", "resends_max"});
    wanted.doubt = read_doubt(inside);
  }
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  auto check = check_template(via, wanted.parts);
  for (const auto& found : check.problems)
    errors.push_back({found.part.empty() ? std::string{"/parts"} : pointer_to("/parts", found.part),
                      found.what});
  if (!errors.empty()) return refusal(problem_code::invalid_template, {}, std::move(errors));
  wanted.via = via;
  wanted.required = std::move(check.required);
  return wanted;
}

std::string told_template(const storage::template_view& stands) {
  nlohmann::ordered_json told = {{"type", stands.type}, {"channel", spelled(stands.via)}};
  if (!stands.locale.empty()) told["locale"] = stands.locale;
  told["version"] = stands.version;
  told["parts"] = nlohmann::ordered_json::object();
  for (const auto& part : stands.parts)
    told["parts"][part.name] = part.text;
  told["required"] = stands.required;
  told["private"] = stands.is_private;
  if (stands.doubt.given) told["in_doubt"] = told_doubt(stands.doubt.policy);
  return told.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

or_problem<answer> put_template(const request& asked, const means& with) {
  auto name = read_name(asked);
  if (auto* no = std::get_if<problem>(&name)) return std::move(*no);
  auto& named = std::get<template_name>(name);
  auto read = read_template(asked.body, named.via, with.settings);
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  auto& wanted = std::get<storage::template_view>(read);
  wanted.type = std::move(named.type);
  wanted.locale = std::move(named.locale);
  const auto stands = with.sessions.with(
      [&](storage::session& db) { return storage::put_template(db, asked.tenant, wanted); },
      with.settings.database_patience);
  if (!stands) return problem_of(stands.why());
  answer told;
  told.body = told_template(*stands);
  return told;
}

or_problem<answer> get_template(const request& asked, const means& with) {
  auto name = read_name(asked);
  if (auto* no = std::get_if<problem>(&name)) return std::move(*no);
  const auto& named = std::get<template_name>(name);
  const auto stands = with.sessions.with(
      [&](storage::session& db) {
        return storage::find_template(db, asked.tenant, named.type, named.via, named.locale);
      },
      with.settings.database_patience);
  if (!stands) return problem_of(stands.why());
  answer told;
  told.body = told_template(*stands);
  return told;
}

or_problem<answer> delete_template(const request& asked, const means& with) {
  auto name = read_name(asked);
  if (auto* no = std::get_if<problem>(&name)) return std::move(*no);
  const auto& named = std::get<template_name>(name);
  const auto ended = with.sessions.with(
      [&](storage::session& db) {
        return storage::end_template(db, asked.tenant, named.type, named.via, named.locale);
      },
      with.settings.database_patience);
  if (!ended) return problem_of(ended.why());
  answer told;
  told.status = 204;
  return told;
}

} // namespace arauto::http
