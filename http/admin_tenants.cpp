#include "http/admin_tenants.hpp"

#include <nlohmann/json.hpp>

#include "http/admin.hpp"
#include "http/members.hpp"
#include "storage/model/address.hpp"
#include "storage/pool.hpp"
#include "storage/tenants.hpp"

namespace arauto::http {

namespace {

using json = nlohmann::ordered_json;

json told_tenant(const storage::tenant_view& one) {
  json told = {{"id", one.id.text},
               {"name", one.name},
               {"status", one.status},
               {"created_at", one.created_at}};
  set_unless_empty(told, "sender_address", one.sender_address);
  set_unless_empty(told, "sender_name", one.sender_name);
  return told;
}

json told_limits(const storage::tenant_limits& one) {
  json told = json::object();
  const auto set = [&](const char* name, const std::optional<int>& number) {
    told[name] = number ? json(*number) : json(nullptr);
  };
  set("body_bytes_max", one.body_bytes_max);
  set("variables_bytes_max", one.variables_bytes_max);
  return told;
}

std::optional<std::string> read_label(members& in, std::string_view name) {
  const auto* text = in.text(name, need::optional);
  if (text == nullptr) return std::nullopt;
  if (const char* fault = fault_of_label(*text)) in.wrong(name, fault);
  return *text;
}

// The members that both making and changing know. Null takes a sender away.
void read_common(members& in, std::vector<field_error>& addresses, storage::tenant_change& into) {
  into.name = read_label(in, "name");
  const auto taken_away = [&](const char* name) {
    const auto* given = in.any(name, need::optional);
    return given != nullptr && given->is_null();
  };
  into.sender_name = taken_away("sender_name") ? "" : read_label(in, "sender_name");
  if (taken_away("sender_address")) {
    into.sender_address = "";
  } else if (const auto* text = in.text("sender_address", need::optional)) {
    if (!parse_address(*text)) addresses.push_back({"/sender_address", "not an address"});
    into.sender_address = *text;
  }
}

// Shape first, all at once; then meaning.
template <class T>
or_problem<T> judged(T&& read, std::vector<field_error>&& shape,
                     std::vector<field_error>&& addresses) {
  if (!shape.empty()) return refusal(problem_code::invalid_request, {}, std::move(shape));
  if (!addresses.empty()) return refusal(problem_code::invalid_address, {}, std::move(addresses));
  return std::forward<T>(read);
}

or_problem<storage::tenant_view> read_new_tenant(std::string_view body, const http_settings& to) {
  const auto read = read_body(body, to);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors, addresses;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"id", "name", "sender_address", "sender_name"});
  storage::tenant_view wanted;
  if (const auto* id = in.text("id", need::required)) {
    if (const char* fault = fault_of_tenant_id(*id)) in.wrong("id", fault);
    wanted.id.text = *id;
  }
  storage::tenant_change given;
  read_common(in, addresses, given);
  wanted.name = given.name.value_or(wanted.id.text);
  wanted.sender_address = given.sender_address.value_or("");
  wanted.sender_name = given.sender_name.value_or("");
  return judged(std::move(wanted), std::move(errors), std::move(addresses));
}

or_problem<storage::tenant_change> read_change(std::string_view body, const http_settings& to) {
  const auto read = read_body(body, to);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors, addresses;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"name", "status", "sender_address", "sender_name"});
  storage::tenant_change wanted;
  read_common(in, addresses, wanted);
  if (const auto* status = in.text("status", need::optional)) {
    if (*status != "active" && *status != "stopped")
      in.wrong("status", "active or stopped is expected");
    wanted.status = *status;
  }
  return judged(std::move(wanted), std::move(errors), std::move(addresses));
}

or_problem<storage::tenant_limits> read_limits(std::string_view body, const http_settings& house) {
  const auto read = read_body(body, house);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"body_bytes_max", "variables_bytes_max"});
  const auto number = [&](const char* name, std::int64_t least,
                          std::size_t most) -> std::optional<int> {
    const auto* given = in.any(name, need::optional);
    if (given == nullptr || given->is_null()) return std::nullopt;
    const auto whole = in.whole(name, need::optional, least, static_cast<std::int64_t>(most));
    return whole ? std::optional{static_cast<int>(*whole)} : std::nullopt;
  };
  storage::tenant_limits wanted;
  wanted.body_bytes_max = number("body_bytes_max", 1'024, house.body_bytes_max);
  wanted.variables_bytes_max = number("variables_bytes_max", 2, house.variables_bytes_max);
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  return wanted;
}

template <class Ask>
auto asked_of(const means& with, Ask&& ask) {
  return with.sessions.with(std::forward<Ask>(ask), with.settings.database_patience);
}

} // namespace

or_problem<answer> post_tenant(const request& asked, const means& with) {
  const auto wanted = read_new_tenant(asked.body, with.settings);
  if (const auto* no = std::get_if<problem>(&wanted)) return *no;
  const auto made = asked_of(with, [&](storage::session& db) {
    return storage::create_tenant(db, std::get<storage::tenant_view>(wanted), signed_by(asked));
  });
  if (made.error() == errc::already_exists) return refusal(problem_code::tenant_exists);
  if (!made) return problem_of(made.why());
  auto told = told_json(told_tenant(*made), 201);
  told.headers.emplace_back("Location", "/v1/admin/tenants/" + made->id.text);
  return told;
}

or_problem<answer> list_tenants(const request& asked, const means& with) {
  const auto read = read_admin_page(asked, {});
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  const auto& page = std::get<admin_page>(read);
  const tenant_id after{page.value("cursor")}; // the last one of the page before
  if (!after.text.empty() && fault_of_tenant_id(after.text) != nullptr)
    return wrong_parameter("cursor", foreign_cursor);
  const auto found = asked_of(
      with, [&](storage::session& db) { return storage::list_tenants(db, after, page.rows + 1); });
  if (!found) return problem_of(found.why());
  return told_page(*found, page, told_tenant,
                   [](const storage::tenant_view& last) { return last.id.text; });
}

or_problem<answer> get_tenant(const request& asked, const means& with) {
  const auto found = asked_of(
      with, [&](storage::session& db) { return storage::find_tenant(db, {asked.names.at(0)}); });
  if (!found) return problem_of(found.why());
  return told_json(told_tenant(*found));
}

or_problem<answer> patch_tenant(const request& asked, const means& with) {
  const auto wanted = read_change(asked.body, with.settings);
  if (const auto* no = std::get_if<problem>(&wanted)) return *no;
  const auto made = asked_of(with, [&](storage::session& db) {
    return storage::change_tenant(db, {asked.names.at(0)}, std::get<storage::tenant_change>(wanted),
                                  signed_by(asked));
  });
  if (!made) return problem_of(made.why());
  return told_json(told_tenant(*made));
}

or_problem<answer> get_limits(const request& asked, const means& with) {
  const auto found = asked_of(
      with, [&](storage::session& db) { return storage::find_limits(db, {asked.names.at(0)}); });
  if (!found) return problem_of(found.why());
  return told_json(told_limits(*found));
}

or_problem<answer> put_limits(const request& asked, const means& with) {
  const auto wanted = read_limits(asked.body, with.settings);
  if (const auto* no = std::get_if<problem>(&wanted)) return *no;
  const auto& limits = std::get<storage::tenant_limits>(wanted);
  const auto put = asked_of(with, [&](storage::session& db) {
    return storage::put_limits(db, {asked.names.at(0)}, limits, signed_by(asked));
  });
  if (!put) return problem_of(put.why());
  return told_json(told_limits(limits));
}

} // namespace arauto::http
