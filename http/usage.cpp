#include "http/usage.hpp"

#include <nlohmann/json.hpp>

#include "http/lists.hpp"
#include "storage/pool.hpp"
#include "storage/usage.hpp"

namespace arauto::http {

namespace {

using json = nlohmann::ordered_json;

json told_backlog(const storage::backlog& one) {
  json told = {{"channel", spelled(one.via)},
               {"priority", to_string(one.urgency)},
               {"due", one.due},
               {"later", one.later},
               {"held", one.held},
               {"oldest_due_at", nullptr},
               {"lag_s", one.lag_s}};
  if (!one.oldest_due_at.empty()) told["oldest_due_at"] = one.oldest_due_at;
  return told;
}

} // namespace

or_problem<answer> get_usage(const request& asked, const means& with) {
  const auto used =
      with.sessions.with([&](storage::session& db) { return storage::usage_of(db, asked.tenant); },
                         with.settings.database_patience);
  if (!used) return problem_of(used.why());
  json backlog = {{"counted_to", storage::backlog_counted_max}, {"waiting", json::array()}};
  for (const auto& one : used->waiting)
    backlog["waiting"].push_back(told_backlog(one));
  const auto limits = limits_for(asked, with);
  answer told;
  told.body = json{{"backlog", std::move(backlog)},
                   {"today",
                    {{"since", used->since},
                     {"counted_to", storage::today_counted_max},
                     {"notifications", used->notifications},
                     {"dead_letters", used->dead_letters}}},
                   {"limits",
                    {{"body_bytes", limits.body_bytes_max},
                     {"variables_bytes", limits.variables_bytes_max},
                     {"batch_bytes", limits.batch_bytes_max},
                     {"batch_notifications", limits.batch_items_max},
                     {"page", page_max}}}}
                  .dump();
  return told;
}

} // namespace arauto::http
