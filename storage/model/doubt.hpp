// What follows when the provider may have taken a message and nobody knows (P6). Evidence, a late
// answer, settles a doubt under every rule; so does a person.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace arauto {

enum class doubt_rule : std::uint8_t {
  resend, // again with the same identity `after` the doubt, at most `resends_max` times, then held
  wait,   // never again; without evidence within `after` it ends as permanent_failure / unconfirmed
  hold,   // neither: it stays until there is evidence or a person decides
};

inline constexpr doubt_rule all_doubt_rules[] = {doubt_rule::resend, doubt_rule::wait,
                                                 doubt_rule::hold};

constexpr std::string_view spelled(doubt_rule rule) {
  switch (rule) {
  case doubt_rule::resend: return "resend";
  case doubt_rule::wait: return "wait";
  case doubt_rule::hold: return "hold";
  }
  return "";
}

constexpr std::optional<doubt_rule> doubt_rule_spelled(std::string_view word) {
  for (auto rule : all_doubt_rules)
    if (spelled(rule) == word) return rule;
  return std::nullopt;
}

struct doubt_policy {
  doubt_rule rule = doubt_rule::resend;
  std::chrono::milliseconds after{300'000};
  int resends_max = 1;
};

// What a template says of its own; not given: the policy of its channel.
struct doubt_choice {
  bool given = false;
  doubt_policy policy;

  const doubt_policy& or_else(const doubt_policy& of_channel) const {
    return given ? policy : of_channel;
  }
};

} // namespace arauto
