#include "http/admin_accounts.hpp"

#include "actors/channels/account.hpp"
#include "http/admin.hpp"
#include "http/members.hpp"
#include "http/routes.hpp"
#include "storage/accounts.hpp"
#include "storage/model/text.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

using json = nlohmann::ordered_json;

// The provider of the path, and `app` of the query. A word that is no provider is not found.
or_problem<outlet> read_outlet(const request& asked) {
  const auto via = provider_spelled(asked.names.at(1));
  if (!via) return refusal(problem_code::not_found);
  const auto read = read_query(asked.query, {"app"});
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  const auto& given = std::get<parameters>(read);
  const auto app = given.find("app");
  if (app == given.end()) return outlet{*via, {}};
  if (*via == provider::smtp) return wrong_parameter("app", "e-mail knows no apps");
  if (const char* fault = fault_of_app(app->second)) return wrong_parameter("app", fault);
  return outlet{*via, app->second};
}

or_problem<channels::account_form> read_form(const request& asked, const means& with,
                                             provider via) {
  const auto read = read_body(asked.body, with.settings);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  auto judged = channels::read_account(via, std::get<nlohmann::json>(read));
  std::vector<field_error> errors;
  for (auto& fault : judged.faults)
    errors.push_back({std::move(fault.pointer), std::move(fault.what)});
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  return std::move(judged.form);
}

json told_place(const outlet& of, json settings) {
  json told = {{"provider", spelled(of.via)}};
  set_unless_empty(told, "app", of.app);
  told["settings"] = std::move(settings);
  return told;
}

json told_account(const storage::account_view& one) {
  auto told = told_place(one.of, json::parse(one.open));
  told["sealed_under"] = one.key;
  told["created_at"] = one.created_at;
  told["changed_at"] = one.changed_at;
  set_unless_empty(told, "paused_at", one.paused_at);
  set_unless_empty(told, "pause_cause", one.pause_cause);
  if (one.pause_code != 0) told["pause_code"] = one.pause_code;
  return told;
}

} // namespace

or_problem<answer> list_accounts(const request& asked, const means& with) {
  const auto found = with.sessions.with(
      [&](storage::session& db) { return storage::list_accounts(db, {asked.names.at(0)}); },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  json what = {{"data", json::array()}};
  for (const auto& one : *found)
    what["data"].push_back(told_account(one));
  return told_json(what);
}

or_problem<answer> put_account(const request& asked, const means& with) {
  const auto of = read_outlet(asked);
  if (const auto* no = std::get_if<problem>(&of)) return *no;
  const auto& where = std::get<outlet>(of);
  const auto read = read_form(asked, with, where.via);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  if (with.seals.empty()) return refusal(problem_code::sealing_key_missing);
  const auto& form = std::get<channels::account_form>(read);
  const auto put = with.sessions.with(
      [&](storage::session& db) {
        return storage::put_account(db, with.seals, {asked.names.at(0)}, where, form.open.dump(),
                                    form.secret.dump(), signed_by(asked));
      },
      with.settings.database_patience);
  if (!put) return problem_of(put.why());
  return told_json(told_place(where, form.open));
}

or_problem<answer> delete_account(const request& asked, const means& with) {
  const auto of = read_outlet(asked);
  if (const auto* no = std::get_if<problem>(&of)) return *no;
  const auto removed = with.sessions.with(
      [&](storage::session& db) {
        return storage::remove_account(db, {asked.names.at(0)}, std::get<outlet>(of),
                                       signed_by(asked));
      },
      with.settings.database_patience);
  if (!removed) return problem_of(removed.why());
  answer told;
  told.status = 204;
  return told;
}

} // namespace arauto::http
