// RFC 3339. What is read is written in one spelling, and that is read as the same instant.
#include "http/time.hpp"
#include "tests/fuzz/must.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace arauto::http;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto when = read_time(text);
  if (!when) return 0;
  MUST(text.size() >= std::string_view{"1970-01-01T00:00:00Z"}.size());
  MUST(when->count() >= 0);
  const auto written = written_time(*when);
  MUST(written.size() == std::string_view{"2026-03-01T08:15:00.000000Z"}.size());
  const auto again = read_time(written);
  MUST(again && *again == *when);
  return 0;
}
