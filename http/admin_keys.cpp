#include "http/admin_keys.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "http/admin.hpp"
#include "http/credentials.hpp"
#include "http/members.hpp"
#include "http/routes.hpp"
#include "http/time.hpp"
#include "storage/keys.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

using json = nlohmann::ordered_json;

json told_words(const std::string& list) {
  auto words = json::array();
  const auto read = scopes_spelled(list).value_or(scopes{});
  for (auto each : all_scopes)
    if (read.has(each)) words.push_back(spelled(each));
  return words;
}

json told_key(const storage::key_view& one) {
  json told = {{"prefix", one.prefix}};
  set_unless_empty(told, "tenant", one.tenant);
  set_unless_empty(told, "name", one.name);
  if (!one.tenant.empty()) told["scopes"] = told_words(one.scopes);
  told["state"] = one.state;
  told["created_at"] = one.created_at;
  set_unless_empty(told, "expires_at", one.expires_at);
  set_unless_empty(told, "revoked_at", one.revoked_at);
  set_unless_empty(told, "last_used_at", one.last_used_at);
  return told;
}

void read_scopes(members& in, scopes& into) {
  const auto* list = in.list("scopes", need::optional);
  if (list == nullptr) {
    into = scopes::all();
    return;
  }
  for (const auto& word : *list) {
    const auto* text = word.get_ptr<const std::string*>();
    const auto known = text == nullptr ? std::nullopt : scope_spelled(*text);
    if (!known) return in.wrong("scopes", "send, read, preferences, admin are expected");
    into.add(*known);
  }
  if (into.empty()) in.wrong("scopes", "a list with something in it is expected");
}

or_problem<storage::key_wanted> read_new_key(std::string_view body, const http_settings& limits) {
  const auto read = read_body(body, limits);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"tenant", "name", "scopes", "expires_at"});
  storage::key_wanted wanted;
  if (const auto* tenant = in.text("tenant", need::required)) {
    if (const char* fault = fault_of_tenant_id(*tenant)) in.wrong("tenant", fault);
    wanted.tenant.text = *tenant;
  }
  if (const auto* name = in.text("name", need::optional)) {
    if (const char* fault = fault_of_label(*name)) in.wrong("name", fault);
    wanted.name = *name;
  }
  if (const auto* ends = in.text("expires_at", need::optional)) {
    if (const auto when = read_time(*ends))
      wanted.expires_at = written_time(*when);
    else
      in.wrong("expires_at", "an RFC 3339 time with offset is expected");
  }
  read_scopes(in, wanted.granted);
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  return wanted;
}

} // namespace

or_problem<answer> post_key(const request& asked, const means& with) {
  auto read = read_new_key(asked.body, with.settings);
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  auto& wanted = std::get<storage::key_wanted>(read);
  const auto key = make_key(wanted.tenant);
  wanted.prefix = key.prefix;
  wanted.digest = key.digest;
  const auto made = with.sessions.with(
      [&](storage::session& db) { return storage::create_key(db, wanted, signed_by(asked)); },
      with.settings.database_patience);
  if (made.error() == errc::already_exists) return refusal(problem_code::too_many_keys);
  if (made.error() == errc::bad_input)
    return refusal(problem_code::invalid_time, {}, {{"/expires_at", "must lie ahead"}});
  if (!made) return problem_of(made.why());
  json told = {{"key", key.whole_text}, {"prefix", key.prefix}, {"tenant", wanted.tenant.text}};
  set_unless_empty(told, "name", wanted.name);
  told["scopes"] = told_words(to_string(wanted.granted));
  set_unless_empty(told, "expires_at", wanted.expires_at);
  return told_json(told, 201);
}

or_problem<answer> list_keys(const request& asked, const means& with) {
  const auto query = read_query(asked.query, {"tenant"});
  if (const auto* no = std::get_if<problem>(&query)) return *no;
  const auto& given = std::get<0>(query);
  const auto tenant = given.find("tenant");
  const auto found = with.sessions.with(
      [&](storage::session& db) {
        return storage::list_keys(db, {tenant == given.end() ? "" : tenant->second});
      },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  json what = {{"data", json::array()}};
  for (const auto& one : *found)
    what["data"].push_back(told_key(one));
  return told_json(what);
}

or_problem<answer> delete_key(const request& asked, const means& with) {
  const auto ended = with.sessions.with(
      [&](storage::session& db) {
        return storage::revoke_key(db, asked.names.at(0), signed_by(asked));
      },
      with.settings.database_patience);
  if (!ended) return problem_of(ended.why());
  answer told;
  told.status = 204;
  return told;
}

} // namespace arauto::http
