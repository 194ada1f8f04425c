#include "actors/channels/vapid_tokens.hpp"

#include <algorithm>
#include <utility>

#include "storage/model/base64.hpp"

namespace arauto::channels {

namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr hours good_for{12}; // RFC 8292 2 allows 24
constexpr hours used_for{6};

} // namespace

vapid_tokens::vapid_tokens(web_push_account account,
                           std::function<std::chrono::system_clock::time_point()> now,
                           std::function<steady::time_point()> steady_now, std::size_t origins_max)
    : account_{std::move(account)},
      public_key_{base64url(account_.key.public_point())},
      now_{std::move(now)},
      steady_now_{std::move(steady_now)},
      origins_max_{origins_max} {}

std::string vapid_tokens::for_origin(const std::string& origin) {
  const auto now = steady_now_();
  const std::lock_guard<std::mutex> hold{mutex_};
  const auto found = kept_.find(origin);
  if (found != kept_.end() && now < found->second.renew_at) return found->second.header;
  const auto ends =
      std::chrono::duration_cast<seconds>((now_() + good_for).time_since_epoch()).count();
  const auto token = make_jwt(account_.key, {{"typ", "JWT"}},
                              {{"aud", origin}, {"exp", ends}, {"sub", account_.subject}});
  if (!token) return "";
  if (found == kept_.end() && kept_.size() >= origins_max_)
    kept_.erase(std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
      return a.second.renew_at < b.second.renew_at;
    }));
  return (kept_[origin] = {"vapid t=" + *token + ", k=" + public_key_, now + used_for}).header;
}

std::size_t vapid_tokens::kept() const {
  const std::lock_guard<std::mutex> hold{mutex_};
  return kept_.size();
}

} // namespace arauto::channels
