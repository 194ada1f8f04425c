#include "storage/log.hpp"

#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace arauto::log {

namespace {

std::shared_ptr<spdlog::logger> logger;

spdlog::level::level_enum to_spdlog(level at) {
  switch (at) {
  case level::debug: return spdlog::level::debug;
  case level::info: return spdlog::level::info;
  case level::warn: return spdlog::level::warn;
  case level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Field values are our own words and ids; still, a stray quote must not break a line.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    }
  return out += '"';
}

} // namespace

field::field(std::string_view name, std::string_view value) : text{head(name) + quoted(value)} {}

std::string field::head(std::string_view name) {
  return quoted(name) + ":";
}

void start(level least) {
  logger = spdlog::stderr_logger_mt("arauto");
  logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})",
                      spdlog::pattern_time_type::utc);
  logger->set_level(to_spdlog(least));
  logger->flush_on(spdlog::level::info);
}

void write(level at, std::string_view event, std::initializer_list<field> fields) {
  if (!logger || !logger->should_log(to_spdlog(at))) return;
  std::string line = "\"event\":" + quoted(event);
  for (const auto& one : fields)
    line += "," + one.text;
  logger->log(to_spdlog(at), line);
}

} // namespace arauto::log
