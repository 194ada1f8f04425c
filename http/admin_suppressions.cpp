#include "http/admin_suppressions.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "http/admin.hpp"
#include "http/members.hpp"
#include "storage/model/address.hpp"
#include "storage/pool.hpp"
#include "storage/suppressions.hpp"

namespace arauto::http {

namespace {

using json = nlohmann::ordered_json;

// <channel>-<digest> of the last row.
std::optional<storage::suppression_place> read_place(const std::string& cursor) {
  storage::suppression_place place;
  if (cursor.empty()) return place;
  const auto line = std::min(cursor.find('-'), cursor.size());
  const auto via = channel_spelled(std::string_view{cursor}.substr(0, line));
  place.digest = cursor.substr(std::min(line + 1, cursor.size()));
  const bool hex = place.digest.size() == 64
                   && place.digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!via || !hex) return std::nullopt;
  place.via = *via;
  return place;
}

json told_suppression(const storage::suppression_view& one) {
  return {{"channel", spelled(one.via)},
          {"digest", one.digest},
          {"reason", one.reason},
          {"created_at", one.created_at}};
}

} // namespace

or_problem<answer> list_suppressions(const request& asked, const means& with) {
  const auto read = read_admin_page(asked, {});
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  const auto& page = std::get<admin_page>(read);
  const auto after = read_place(page.value("cursor"));
  if (!after) return wrong_parameter("cursor", foreign_cursor);
  const auto found = with.sessions.with(
      [&](storage::session& db) {
        return storage::list_suppressions(db, {asked.names.at(0)}, *after, page.rows + 1);
      },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  return told_page(*found, page, told_suppression, [](const storage::suppression_view& last) {
    return to_string(last.via) + "-" + last.digest;
  });
}

or_problem<answer> lift_suppression(const request& asked, const means& with) {
  const auto read = read_body(asked.body, with.settings);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"channel", "address"});
  const auto* via = in.text("channel", need::required);
  const auto* address = in.text("address", need::required);
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));
  if (*via != "email")
    return refusal(problem_code::unknown_channel, {}, {{"/channel", "email is expected"}});
  const auto parsed = parse_address(*address);
  if (!parsed) return refusal(problem_code::invalid_address, {}, {{"/address", "not an address"}});
  const auto lifted = with.sessions.with(
      [&](storage::session& db) {
        return storage::lift_suppression(db, {asked.names.at(0)}, channel::email, parsed->key,
                                         signed_by(asked));
      },
      with.settings.database_patience);
  if (!lifted) return problem_of(lifted.why());
  answer told;
  told.status = 204;
  return told;
}

} // namespace arauto::http
