#include "actors/channels/apns_tokens.hpp"

#include <utility>

namespace arauto::channels {

namespace {

using std::chrono::seconds;

constexpr std::int64_t step_s = 40 * 60;
constexpr std::int64_t life_s = 60 * 60;

std::int64_t rounded(std::int64_t at_s) {
  return at_s - at_s % step_s;
}

} // namespace

apns_tokens::apns_tokens(const apns_account& account,
                         std::function<std::chrono::system_clock::time_point()> now,
                         std::function<steady::time_point()> steady_now)
    : key_id_{account.key_id},
      team_id_{account.team_id},
      key_{account.key},
      now_{std::move(now)},
      steady_now_{std::move(steady_now)} {}

std::int64_t apns_tokens::now_s() const {
  return std::chrono::duration_cast<seconds>(now_().time_since_epoch()).count();
}

apns_tokens::issued apns_tokens::issue(std::int64_t at_s) const {
  auto token = make_jwt(key_, {{"kid", key_id_}}, {{"iss", team_id_}, {"iat", at_s}});
  if (!token) return {};
  const auto age = seconds{now_s() - at_s};
  const auto born = steady_now_() - age;
  return {std::move(*token), at_s, born + seconds{step_s}, born + seconds{life_s}};
}

std::string apns_tokens::current() {
  const std::lock_guard<std::mutex> hold{mutex_};
  if (current_.text.empty() || steady_now_() >= current_.renew_at) {
    before_ = std::exchange(current_, issue(rounded(now_s())));
  }
  return current_.text;
}

void apns_tokens::expired(const std::string& token) {
  const std::lock_guard<std::mutex> hold{mutex_};
  if (current_.text != token) return; // somebody was quicker
  const auto now = now_s();
  const auto usual = rounded(now);
  current_ = issue(usual == current_.at_s ? now : usual);
  before_ = {};
}

void apns_tokens::refused(const std::string& token) {
  const std::lock_guard<std::mutex> hold{mutex_};
  if (current_.text == token && rounded(now_s()) != rounded(current_.at_s)) current_ = {};
}

void apns_tokens::one_update_too_many(const std::string& token) {
  const std::lock_guard<std::mutex> hold{mutex_};
  if (current_.text != token || before_.text.empty() || steady_now_() >= before_.ends_at) return;
  current_ = std::exchange(before_, {});
  current_.renew_at = current_.ends_at;
}

} // namespace arauto::channels
