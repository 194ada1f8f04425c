#include "http/notification_list.hpp"

#include <nlohmann/json.hpp>

#include "http/lists.hpp"
#include "http/members.hpp"
#include "http/notification_shape.hpp"
#include "http/notifications.hpp"
#include "http/routes.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

using json = nlohmann::ordered_json;

constexpr int page_default = 20;
constexpr int walked_max = 10'000; // events that one page looks at; 20 to 60 ms

struct page_asked {
  storage::event_filter which;
  std::optional<storage::event_place> from;
  int rows = page_default;
};

const char* read_user(const std::string& text, page_asked& into) {
  into.which.user.text = text;
  return fault_of_user_id(text);
}

const char* read_type(const std::string& text, page_asked& into) {
  into.which.type = text;
  return fault_of_type(text);
}

const char* read_state(const std::string& text, page_asked& into) {
  into.which.now = state_spelled(text);
  return into.which.now ? nullptr : "this state is not known";
}

const char* read_channel(const std::string& text, page_asked& into) {
  into.which.via = channel_spelled(text);
  return into.which.via ? nullptr : "this channel is not known";
}

const char* read_since(const std::string& text, page_asked& into) {
  return read_when(text, into.which.since);
}

const char* read_place(const std::string& text, page_asked& into) {
  into.from = read_event_cursor(text);
  return into.from ? nullptr : foreign_cursor;
}

const char* read_rows(const std::string& text, page_asked& into) {
  return read_page_rows(text, into.rows);
}

using reader = const char* (*)(const std::string& text, page_asked& into);
constexpr std::pair<const char*, reader> known[] = {
    {"user_id", read_user},    {"type", read_type},   {"state", read_state},
    {"channel", read_channel}, {"since", read_since}, {"cursor", read_place},
    {"limit", read_rows}};

or_problem<page_asked> read_page(const parameters& given) {
  page_asked page;
  for (const auto& [name, read] : known)
    if (const auto at = given.find(name); at != given.end())
      if (const char* fault = read(at->second, page)) return wrong_parameter(name, fault);
  return page;
}

json cursor_or_null(const std::optional<storage::event_place>& place) {
  return place ? json(written_event_cursor(*place)) : json(nullptr);
}

} // namespace

std::string written_event_cursor(const storage::event_place& place) {
  return (place.towards_now ? "n" : "o") + packed_id(place.event.text);
}

std::optional<storage::event_place> read_event_cursor(std::string_view cursor) {
  if (cursor.empty() || (cursor.front() != 'n' && cursor.front() != 'o')) return std::nullopt;
  auto id = unpacked_id(cursor.substr(1));
  if (!id) return std::nullopt;
  return storage::event_place{{std::move(*id)}, cursor.front() == 'n'};
}

or_problem<answer> list_notifications(const request& asked, const means& with) {
  std::vector<std::string_view> names{"client_operation_id"};
  for (const auto& [name, read] : known)
    names.emplace_back(name);
  auto query = read_query(asked.query, names);
  if (auto* no = std::get_if<problem>(&query)) return std::move(*no);
  const auto& given = std::get<parameters>(query);
  if (const auto operation = given.find("client_operation_id"); operation != given.end()) {
    if (given.size() > 1)
      return wrong_parameter("client_operation_id", "names one notification; nothing goes with it");
    return find_notification(operation->second, asked.tenant, with);
  }
  auto read = read_page(given);
  if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
  const auto& page = std::get<page_asked>(read);
  const auto found = with.sessions.with(
      [&](storage::session& db) {
        return storage::list_events(db, asked.tenant, page.which, page.from, page.rows, walked_max);
      },
      with.settings.database_patience);
  if (!found) return problem_of(found.why());
  answer told;
  told.body =
      told_events(found->events, cursor_or_null(found->older), cursor_or_null(found->newer));
  return told;
}

} // namespace arauto::http
