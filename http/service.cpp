#include "http/service.hpp"

#include <algorithm>

#include <prometheus/registry.h>

#include "http/reply.hpp"
#include "storage/log.hpp"
#include "storage/model/chance.hpp"
#include "storage/model/uuid.hpp"

namespace arauto::http {

namespace {

constexpr std::size_t batches_of_tenant_max = 2; // large ones, of the settings' batches_max

bool same_word(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size()
         && std::equal(text.begin(), text.end(), lower_case.begin(), [](char a, char b) {
              return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
            });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

} // namespace

std::string new_request_id() {
  return uuid_v7(std::chrono::system_clock::now(), random_bytes_10());
}

bool is_json_type(std::string_view content_type) {
  const auto semicolon = std::min(content_type.find(';'), content_type.size());
  if (!same_word(trimmed(content_type.substr(0, semicolon)), "application/json")) return false;
  const auto parameter = trimmed(content_type.substr(std::min(semicolon + 1, content_type.size())));
  if (parameter.empty()) return true;
  const auto equals = std::min(parameter.find('='), parameter.size());
  if (!same_word(parameter.substr(0, equals), "charset")) return false;
  const auto value = parameter.substr(std::min(equals + 1, parameter.size()));
  return same_word(value, "utf-8") || same_word(value, "\"utf-8\"");
}

bool seats::take(const tenant_id& by, std::size_t most, std::size_t most_of_one) {
  const std::lock_guard lock{mutex_};
  if (taken_ >= most) return false;
  auto& mine = by_tenant_[by];
  if (mine >= most_of_one) return false;
  ++taken_;
  ++mine;
  return true;
}

void seats::give_back(const tenant_id& by) {
  const std::lock_guard lock{mutex_};
  const auto mine = by_tenant_.find(by);
  if (--mine->second == 0) by_tenant_.erase(mine);
  --taken_;
}

service::service(const means& with, const std::vector<route>& routes)
    : with_{with},
      credentials_{with.sessions, with.settings},
      routes_{routes},
      seats_{std::make_shared<seats>()} {
  auto& requests = prometheus::BuildCounter()
                       .Name("arauto_http_requests_total")
                       .Help("Answers by route and class of status")
                       .Register(with.metrics);
  auto& seconds = prometheus::BuildHistogram()
                      .Name("arauto_http_request_seconds")
                      .Help("From a whole head to the answer")
                      .Register(with.metrics);
  const prometheus::Histogram::BucketBoundaries bounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                          0.1,   0.25,   0.5,   1,    2.5,   10};
  // All series are made here: finding one by its labels is too slow for every request.
  const auto measures_for = [&](const std::string& label) {
    measures made;
    for (std::size_t digit = 1; digit < made.by_class.size(); ++digit)
      made.by_class[digit] =
          &requests.Add({{"route", label}, {"status", std::to_string(digit) + "xx"}});
    made.seconds = &seconds.Add({{"route", label}}, bounds);
    return made;
  };
  for (const auto& to : routes_)
    measures_.push_back(measures_for(std::string{to.method} + " " + std::string{to.pattern}));
  measures_.push_back(measures_for("none"));
  for (const auto& to : routes_)
    if (to.at_once) at_once_.push_back(to.pattern);
}

bool service::answers_at_once(const head& given) const {
  return given.content_length == 0 && (given.method == "GET" || given.method == "HEAD")
         && std::find(at_once_.begin(), at_once_.end(), given.path) != at_once_.end();
}

void service::begin(call& made) {
  made.id = new_request_id();
  made.begun = std::chrono::steady_clock::now();
  made.route_at = routes_.size();
}

answer service::refused(const problem& why, call& made) {
  begin(made);
  return counted(made, told_problem(why, made.id));
}

std::optional<answer> service::admit(const head& given, call& made) {
  begin(made);
  try {
    const auto no = objection(given, made);
    if (!no) return std::nullopt;
    if (given.method == "OPTIONS" && no->code == problem_code::method_not_allowed)
      return counted(made, answer{204, {}, {}, {{"Allow", no->allow}}});
    return counted(made, told_problem(*no, made.id));
  } catch (...) { // its text may quote anything; the log gets our words only
    log::error("request_crashed", {{"request", made.id}, {"step", "admit"}});
    return counted(made, told_problem(refusal(problem_code::internal), made.id));
  }
}

std::optional<problem> service::objection(const head& given, call& made) {
  auto found = find_route(routes_, given.method, given.path);
  if (auto* no = std::get_if<problem>(&found)) return std::move(*no);
  auto& at = std::get<route_found>(found);
  const auto& to = routes_[at.at];
  made.route_at = at.at;
  made.asked.names = std::move(at.names);
  made.asked.query = given.query;
  made.asked.idempotency_key = given.idempotency_key;
  if (to.scope != asks::nothing) {
    auto known = credentials_.asker_of(given.authorization);
    if (auto* no = std::get_if<problem>(&known)) return std::move(*no);
    auto& who = std::get<asker>(known);
    if (auto no = objection_to(who, to.scope)) return no;
    made.asked.id = made.id;
    made.asked.tenant = std::move(who.tenant);
    made.asked.key = std::move(who.key);
    made.asked.narrower = who.narrower;
  }
  if (!to.reads_query && !given.query.empty())
    return refusal(problem_code::invalid_request, "this call knows no query parameters");
  return objection_to_body(given, to, made);
}

std::optional<problem> service::objection_to_body(const head& given, const route& to, call& made) {
  const auto length = given.content_length;
  if (to.body == body_rule::none && length > 0)
    return refusal(problem_code::invalid_request, "this call takes no body");
  const auto most = to.body == body_rule::large ? with_.settings.batch_bytes_max
                                                : limits_for(made.asked, with_).body_bytes_max;
  if (length > most)
    return refusal(problem_code::too_large, "the body may have " + std::to_string(most) + " bytes");
  if (length > 0 && !is_json_type(given.content_type.value_or(std::string_view{})))
    return refusal(problem_code::unsupported_media_type);
  const auto& settings = with_.settings;
  if (length <= settings.body_bytes_max) return std::nullopt;
  const auto& by = made.asked.tenant;
  if (!seats_->take(by, settings.batches_max, batches_of_tenant_max))
    return retry_later(problem_code::overloaded, 1);
  made.seat = {nullptr, [from = seats_, by](void*) { from->give_back(by); }};
  return std::nullopt;
}

answer service::run(call& made, std::string_view body) {
  made.asked.body = body;
  const auto& to = routes_[made.route_at];
  try {
    auto said = to.run(made.asked, with_);
    if (const auto* no = std::get_if<problem>(&said)) {
      if (!no->for_log.empty())
        log::error("request_failed",
                   {{"request", made.id}, {"route", to.pattern}, {"why", no->for_log}});
      return counted(made, told_problem(*no, made.id));
    }
    return counted(made, std::get<answer>(std::move(said)));
  } catch (...) {
    log::error("request_crashed", {{"request", made.id}, {"route", to.pattern}});
    return counted(made, told_problem(refusal(problem_code::internal), made.id));
  }
}

answer service::counted(const call& made, answer told) {
  const auto& of = measures_[made.route_at];
  of.by_class[static_cast<std::size_t>(told.status / 100)]->Increment();
  of.seconds->Observe(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - made.begun).count());
  return told;
}

} // namespace arauto::http
