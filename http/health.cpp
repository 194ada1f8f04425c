#include "http/health.hpp"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "actors/office.hpp"

namespace arauto::http {

or_problem<answer> get_health(const request&, const means&) {
  answer told;
  told.body = R"({"status":"ok"})";
  return told;
}

or_problem<answer> get_readiness(const request&, const means& with) {
  if (!with.staff.can_accept()) return retry_later(problem_code::unavailable, 2);
  answer told;
  told.body = R"({"status":"ok"})";
  return told;
}

or_problem<answer> get_metrics(const request&, const means& with) {
  answer told;
  told.content_type = "text/plain; version=0.0.4; charset=utf-8";
  told.body = prometheus::TextSerializer{}.Serialize(with.metrics.Collect());
  return told;
}

} // namespace arauto::http
