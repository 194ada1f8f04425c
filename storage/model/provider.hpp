// Who takes a message from us, and for which app. One spelling in C++, SQL, JSON and logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "storage/model/channel.hpp"

namespace arauto {

enum class provider : std::uint8_t { smtp, fcm, apns, web_push };

inline constexpr provider all_providers[] = {provider::smtp, provider::fcm, provider::apns,
                                             provider::web_push};

constexpr std::string_view spelled(provider p) {
  switch (p) {
  case provider::smtp: return "smtp";
  case provider::fcm: return "fcm";
  case provider::apns: return "apns";
  case provider::web_push: return "web_push";
  }
  return "";
}

constexpr std::optional<provider> provider_spelled(std::string_view word) {
  for (auto p : all_providers)
    if (spelled(p) == word) return p;
  return std::nullopt;
}

constexpr channel channel_of(provider p) {
  return p == provider::smtp ? channel::email : channel::push;
}

// Where a message can leave us: a provider, and the app there that it is for (FCM: the tenant's
// own name of a Firebase project, APNs: the topic, Web Push: the site; e-mail has none). A tenant
// may have one account for an outlet; else its account of that provider with no app, else the
// house's account of that provider answers.
struct outlet {
  provider via = provider::smtp;
  std::string app; // at most 255 bytes; empty: any
  friend bool operator==(const outlet& a, const outlet& b) {
    return a.via == b.via && a.app == b.app;
  }
  friend bool operator!=(const outlet& a, const outlet& b) { return !(a == b); }
  friend bool operator<(const outlet& a, const outlet& b) {
    return std::tie(a.via, a.app) < std::tie(b.via, b.app);
  }
};

inline std::string to_string(const outlet& o) {
  return std::string{spelled(o.via)} + "/" + o.app;
}

// As to_string wrote it: the app may hold slashes.
inline std::optional<outlet> outlet_spelled(std::string_view word) {
  const auto slash = word.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto via = provider_spelled(word.substr(0, slash));
  if (!via) return std::nullopt;
  return outlet{*via, std::string{word.substr(slash + 1)}};
}

} // namespace arauto
