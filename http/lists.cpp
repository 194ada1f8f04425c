#include "http/lists.hpp"

#include <algorithm>

#include "http/time.hpp"
#include "storage/model/uuid.hpp"

namespace arauto::http {

const char* read_when(const std::string& text, std::string& into) {
  const auto when = read_time(text);
  if (!when) return "an RFC 3339 time with offset is expected, such as 2026-03-01T08:15:00Z";
  into = written_time(*when);
  return nullptr;
}

const char* read_page_rows(const std::string& text, int& into) {
  into = read_number<int>(text, 10).value_or(0);
  return into < 1 || into > page_max ? "1 to 100 is expected" : nullptr;
}

problem wrong_parameter(std::string_view name, std::string_view fault) {
  return refusal(problem_code::invalid_request, std::string{name}.append(": ").append(fault));
}

std::string packed_id(std::string id) {
  id.erase(std::remove(id.begin(), id.end(), '-'), id.end());
  return id;
}

std::optional<std::string> unpacked_id(std::string_view digits) {
  if (digits.size() != 32) return std::nullopt;
  std::string id{digits};
  for (const std::size_t at : {8, 13, 18, 23})
    id.insert(at, 1, '-');
  if (!is_uuid(id)) return std::nullopt;
  return id;
}

} // namespace arauto::http
