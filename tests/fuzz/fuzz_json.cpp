// The JSON door. What it lets in can be written and read again to the same; what it makes of a
// notification holds only what the ledger can keep.
#include "http/notification_shape.hpp"
#include "storage/model/json.hpp"
#include "tests/fuzz/must.hpp"

namespace {

using arauto::parse_json;

bool names_variables(const nlohmann::json& value) {
  if (value.is_object() && value.contains("variables")) return true;
  for (const auto& one : value)
    if (one.is_structured() && names_variables(one)) return true;
  return false;
}

void reads_the_same_again(std::string_view text) {
  const arauto::json_limits limits;
  const auto read = parse_json(text, limits);
  if (!read.good) {
    MUST(!read.problem.what.empty());
    return;
  }
  const auto written = read.root.dump(); // would throw on bad UTF-8
  MUST(written.find('\0') == std::string::npos);
  if (names_variables(read.root)) return; // kept as text: see below
  const auto again = parse_json(written, limits);
  MUST(again.good);
  MUST(again.root == read.root);
}

void is_fit_for_the_ledger(std::string_view body) {
  const arauto::http_settings limits;
  const auto read = arauto::http::read_notification(body, std::nullopt, limits,
                                                    arauto::http::unix_time{1'780'000'000'000'000});
  const auto* asked = std::get_if<arauto::notification>(&read);
  if (asked == nullptr) return;
  MUST(!asked->user.text.empty() && asked->user.text.size() <= 255);
  MUST(!asked->type.empty() && asked->type.size() <= 128);
  MUST(!asked->operation.text.empty() && asked->operation.text.size() <= 255);
  MUST(asked->variables.size() <= limits.variables_bytes_max);
  MUST(nlohmann::json::parse(asked->variables).is_object());
  MUST(asked->variables.find('\0') == std::string::npos);
  for (const auto& time : {asked->send_at, asked->expires_at})
    MUST(time.empty() || arauto::http::written_time(*arauto::http::read_time(time)) == time);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  reads_the_same_again(text);
  is_fit_for_the_ledger(text);
  return 0;
}
