// Templates, and values that want to be more than text. A template that passes the check renders or
// says why; twice the same; within bounds; no value of an HTML part opens a tag, in whatever place
// the template puts it, and none breaks a subject's line.
#include <string>

#include <nlohmann/json.hpp>

#include "storage/model/html_place.hpp"
#include "storage/model/rendering.hpp"
#include "tests/fuzz/must.hpp"

namespace {

using arauto::part;

constexpr std::size_t output_bytes_max = 4 * 1024 * 1024;

std::string with_all(const std::vector<std::string>& names, const std::string& value) {
  auto variables = nlohmann::json::object();
  for (const auto& name : names)
    variables[name] = value;
  return variables.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string rendered(const part& source, const std::string& variables) {
  const auto made = arauto::render({source}, variables);
  if (!made) {
    MUST(!made.why().text.empty());
    return {};
  }
  MUST(made->size() == 1 && made->front().name == source.name);
  MUST(made->front().text.size() <= output_bytes_max);
  return made->front().text;
}

void try_part(const char* name, const std::string& text, const std::string& own_variables) {
  const std::string hostile = "\"><zq a='b'>--><zq>{{x}}\r\nBcc: zq@zq.example</title><zq>";
  const part source{name, text};
  std::vector<part> all{source};
  if (source.name == "subject")
    all.push_back({"text", "t"});
  else
    all.insert(all.begin(), {"subject", "s"});
  const auto check = arauto::check_template(arauto::channel::email, all);
  rendered(source, own_variables);
  if (!check.problems.empty()) return;
  const auto variables = with_all(check.required, hostile);
  const auto once = rendered(source, variables);
  MUST(once == rendered(source, variables));
  if (source.name == "html" && text.find("zq") == std::string::npos)
    MUST(once.find("<zq") == std::string::npos);
  if (source.name == "subject") MUST(once.find_first_of("\r\n") == std::string::npos);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  // A template, and after a NUL the variables of an event.
  const std::string all{reinterpret_cast<const char*>(data), size};
  const auto end = std::min(all.find('\0'), all.size());
  const auto text = all.substr(0, end);
  const auto variables = end < all.size() ? all.substr(end + 1) : "{}";
  for (const auto* name : {"html", "text", "subject"})
    try_part(name, text, variables);
  return 0;
}
