#include "http/batch.hpp"

#include <chrono>

#include <nlohmann/json.hpp>

#include "actors/office.hpp"
#include "http/members.hpp"
#include "http/notification_shape.hpp"
#include "storage/model/chance.hpp"
#include "storage/model/uuid.hpp"

namespace arauto::http {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t levels_around = 2; // the object and the list around each notification

// What can be asked of the office, and what was refused before.
struct sorted_out {
  std::vector<notification> good;
  std::vector<std::size_t> good_at; // places in the list
  std::vector<json> results;        // by place; null: it is among the good
};

json told_refusal(std::size_t index, const problem& why) {
  json told = {{"index", index}, {"status", kind_of(why.code).status}};
  if (why.retry_after_s > 0) told["retry_after_s"] = why.retry_after_s;
  told["problem"] = problem_members(why);
  return told;
}

json told_result(std::size_t index, const notification& asked, const result<accept_answer>& said) {
  if (!said) return told_refusal(index, problem_of(said.why()));
  if (const auto no = refusal_of(asked, *said)) return told_refusal(index, *no);
  json told = {{"index", index}, {"status", 202}, {"id", said->id.text}};
  if (said->verdict == acceptance::replayed) told["replayed"] = true;
  return told;
}

sorted_out sort_out(const nlohmann::json& list, const request& asked, const means& with) {
  const auto now = std::chrono::system_clock::now();
  const auto limits = limits_for(asked, with);
  sorted_out sorted;
  sorted.results.resize(list.size());
  for (std::size_t n = 0; n < list.size(); ++n) {
    auto read = notification_in(list[n], std::nullopt, limits,
                                std::chrono::duration_cast<unix_time>(now.time_since_epoch()));
    if (const auto* no = std::get_if<problem>(&read)) {
      sorted.results[n] = told_refusal(n, *no);
      continue;
    }
    auto& one = std::get<notification>(read);
    one.id.text = uuid_v7(now, random_bytes_10());
    one.tenant = asked.tenant;
    sorted.good.push_back(std::move(one));
    sorted.good_at.push_back(n);
  }
  return sorted;
}

} // namespace

or_problem<answer> post_batch(const request& asked, const means& with) {
  const auto read = read_body(asked.body, with.settings, levels_around);
  if (const auto* no = std::get_if<problem>(&read)) return *no;
  std::vector<field_error> errors;
  members in{std::get<nlohmann::json>(read), "", errors};
  in.only({"notifications"});
  const auto* list = in.list("notifications", need::required);
  const auto most = with.settings.batch_items_max;
  if (list != nullptr && (list->empty() || list->size() > most))
    in.wrong("notifications", "1 to " + std::to_string(most) + " notifications are expected");
  if (!errors.empty()) return refusal(problem_code::invalid_request, {}, std::move(errors));

  auto sorted = sort_out(*list, asked, with);
  const auto answers = with.staff.submit_all(sorted.good);
  for (std::size_t n = 0; n < answers.size(); ++n) {
    const auto at = sorted.good_at[n];
    sorted.results[at] = told_result(at, sorted.good[n], answers[n]);
  }
  answer told;
  told.body = json{{"results", std::move(sorted.results)}}.dump(-1, ' ', false,
                                                                json::error_handler_t::replace);
  return told;
}

} // namespace arauto::http
