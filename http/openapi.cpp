#include "http/openapi.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "http/openapi_text.hpp"

namespace arauto::http {

std::string_view openapi_document() {
  return openapi_text;
}

or_problem<answer> get_openapi(const request&, const means&) {
  answer told;
  told.body = openapi_text;
  return told;
}

or_problem<answer> get_problem(const request& asked, const means&) {
  const auto& catalogue = problem_catalogue();
  const auto kind = std::find_if(catalogue.begin(), catalogue.end(), [&](const problem_kind& one) {
    return one.word == asked.names.at(0);
  });
  if (kind == catalogue.end()) return refusal(problem_code::not_found);
  answer told;
  told.body = nlohmann::ordered_json{{"type", problem_type(*kind)},
                                     {"title", kind->title},
                                     {"status", kind->status},
                                     {"code", kind->word}}
                  .dump();
  return told;
}

} // namespace arauto::http
