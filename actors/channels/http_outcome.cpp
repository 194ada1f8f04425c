#include "actors/channels/http_outcome.hpp"

#include <algorithm>

#include "storage/model/plan.hpp"
#include "storage/model/text.hpp"

namespace arauto::channels {

namespace {

constexpr std::size_t detail_bytes_max = 500;
constexpr std::size_t word_bytes_max = 31; // device tokens are longer

} // namespace

outcome outcome_of_end(const http_answer& said) {
  outcome made;
  made.cause = said.cause;
  made.said = said.came_to == http_answer::end::not_begun ? verdict::not_begun : verdict::unknown;
  if (made.said == verdict::not_begun && said.cause == "tls_unverified")
    made.said = verdict::account_refused;
  return made;
}

outcome answered_with(const http_answer& said, verdict means, const char* cause) {
  outcome made;
  made.said = means;
  made.code = said.status;
  made.cause = cause;
  made.retry_after = std::clamp(said.retry_after, std::chrono::milliseconds{0}, retry_after_max);
  return made;
}

outcome later(const http_answer& said, const char* cause, std::chrono::milliseconds otherwise) {
  auto made = answered_with(said, verdict::refused_for_now, cause);
  if (made.retry_after.count() == 0) made.retry_after = otherwise;
  return made;
}

nlohmann::json json_in(const http_answer& said) {
  auto read = nlohmann::json::parse(said.body, nullptr, false);
  return read.is_discarded() ? nlohmann::json{} : read;
}

std::string text_in(const nlohmann::json& object, const char* member) {
  if (!object.is_object()) return "";
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string kept_words(std::string_view words) {
  std::string kept;
  for (std::size_t at = 0; at < words.size() && kept.size() <= detail_bytes_max;) {
    const auto end = std::min(words.find_first_of(" \t\r\n", at), words.size());
    if (end - at > word_bytes_max)
      kept += "...";
    else
      kept += words.substr(at, end - at);
    if (end < words.size()) kept += ' ';
    at = end + 1;
  }
  return mended_utf8(kept, detail_bytes_max);
}

} // namespace arauto::channels
