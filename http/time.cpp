#include "http/time.hpp"

#include <array>
#include <cstdio>

namespace arauto::http {

namespace {

constexpr std::int64_t day_s = 86'400;

// Reads exactly `count` digits at the front of `rest`, and takes them away.
std::optional<int> take_digits(std::string_view& rest, std::size_t count) {
  if (rest.size() < count) return std::nullopt;
  int number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (rest[i] < '0' || rest[i] > '9') return std::nullopt;
    number = number * 10 + (rest[i] - '0');
  }
  rest.remove_prefix(count);
  return number;
}

bool take(std::string_view& rest, char wanted) {
  if (rest.empty() || rest.front() != wanted) return false;
  rest.remove_prefix(1);
  return true;
}

bool is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int days_in(int year, int month) {
  constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : days[static_cast<std::size_t>(month - 1)];
}

// Days from 1970-01-01 to the first of March based year, the usual proleptic Gregorian sum.
std::int64_t days_since_1970(int year, int month, int day) {
  const int y = month <= 2 ? year - 1 : year;
  const int shifted = (month + 9) % 12; // March is 0
  const std::int64_t before = 365LL * y + y / 4 - y / 100 + y / 400;
  return before + (shifted * 306 + 5) / 10 + (day - 1) - 719'468;
}

struct civil_date {
  int year, month, day;
};

civil_date date_of(std::int64_t days) {
  const std::int64_t z = days + 719'468;
  const std::int64_t era = z / 146'097;
  const std::int64_t doe = z - era * 146'097;
  const std::int64_t yoe = (doe - doe / 1'460 + doe / 36'524 - doe / 146'096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t shifted = (5 * doy + 2) / 153;
  const auto day = static_cast<int>(doy - (153 * shifted + 2) / 5 + 1);
  const auto month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {static_cast<int>(yoe + era * 400) + (month <= 2 ? 1 : 0), month, day};
}

std::optional<std::int64_t> take_date(std::string_view& rest) {
  const auto year = take_digits(rest, 4);
  if (!year || !take(rest, '-')) return std::nullopt;
  const auto month = take_digits(rest, 2);
  if (!month || !take(rest, '-')) return std::nullopt;
  const auto day = take_digits(rest, 2);
  if (!day || *month < 1 || *month > 12 || *day < 1 || *day > days_in(*year, *month))
    return std::nullopt;
  return days_since_1970(*year, *month, *day);
}

// Seconds of the day, 86,400 at most because of a leap second.
std::optional<std::int64_t> take_clock(std::string_view& rest, bool& leap) {
  const auto hour = take_digits(rest, 2);
  if (!hour || !take(rest, ':')) return std::nullopt;
  const auto minute = take_digits(rest, 2);
  if (!minute || !take(rest, ':')) return std::nullopt;
  const auto second = take_digits(rest, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  leap = *second == 60;
  return *hour * 3'600 + *minute * 60 + *second;
}

std::optional<std::int64_t> take_fraction_us(std::string_view& rest) {
  if (!take(rest, '.')) return 0;
  std::int64_t micros = 0;
  std::size_t digits = 0;
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
    if (digits < 6) micros = micros * 10 + (rest.front() - '0');
    ++digits;
    rest.remove_prefix(1);
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 6; ++digits)
    micros *= 10;
  return micros;
}

std::optional<std::int64_t> take_offset_s(std::string_view& rest) {
  if (take(rest, 'Z') || take(rest, 'z')) return 0;
  const bool east = take(rest, '+');
  if (!east && !take(rest, '-')) return std::nullopt;
  const auto hours = take_digits(rest, 2);
  if (!hours || !take(rest, ':')) return std::nullopt;
  const auto minutes = take_digits(rest, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::int64_t offset = *hours * 3'600 + *minutes * 60;
  return east ? offset : -offset;
}

} // namespace

std::optional<unix_time> read_time(std::string_view written) {
  if (written.size() > 40) return std::nullopt; // no honest fraction is that long
  auto rest = written;
  const auto days = take_date(rest);
  if (!days || !(take(rest, 'T') || take(rest, 't'))) return std::nullopt;
  bool leap = false;
  const auto clock = take_clock(rest, leap);
  if (!clock) return std::nullopt;
  const auto micros = take_fraction_us(rest);
  if (!micros) return std::nullopt;
  const auto offset = take_offset_s(rest);
  if (!offset || !rest.empty()) return std::nullopt;
  const std::int64_t seconds = *days * day_s + *clock - *offset;
  if (leap && seconds % day_s != 0) return std::nullopt;
  const std::int64_t end_of_9999 = days_since_1970(9999, 12, 31) * day_s + day_s;
  if (seconds < 0 || seconds >= end_of_9999) return std::nullopt;
  return unix_time{seconds * 1'000'000 + *micros};
}

std::string written_time(unix_time when) {
  const auto seconds = when.count() / 1'000'000;
  const auto date = date_of(seconds / day_s);
  const auto clock = static_cast<int>(seconds % day_s);
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
                                   date.year, date.month, date.day, clock / 3'600, clock / 60 % 60,
                                   clock % 60, static_cast<int>(when.count() % 1'000'000));
  return {text.data(), static_cast<std::size_t>(length)};
}

} // namespace arauto::http
