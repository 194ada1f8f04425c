#include "storage/model/targets.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace arauto {

namespace {

using std::chrono::milliseconds;

constexpr std::array told_first{
    verdict::unknown,     verdict::refused_for_now, verdict::accepted, verdict::refused,
    verdict::bad_address, verdict::account_refused, verdict::not_begun};

std::size_t rank(const target_result& one) {
  const auto found = std::find(told_first.begin(), told_first.end(), one.what.said);
  return static_cast<std::size_t>(std::distance(told_first.begin(), found));
}

bool reached_a_provider(const target_result& one) {
  return one.what.said != verdict::not_begun && one.what.said != verdict::account_refused;
}

// How many of the delivery's targets stand how, and when the first of them is due.
struct tally {
  int accepted, outstanding, in_doubt;
  std::optional<milliseconds> due;

  explicit tally(const other_targets& others)
      : accepted{others.accepted}, outstanding{others.outstanding}, in_doubt{others.in_doubt} {
    if (others.due_ms >= 0) due = milliseconds{others.due_ms};
  }

  void add(const plan& one) {
    switch (one.next) {
    case state::provider_accepted: ++accepted; return;
    case state::permanent_failure: return;
    case state::in_doubt: ++in_doubt; break;
    default: ++outstanding; break;
    }
    if (!one.hold) due = due ? std::min(*due, one.delay) : one.delay;
  }
};

bool stand_alike(state one, state whole) {
  const auto waits = [](state s) { return s == state::pending || s == state::retry_wait; };
  return one == whole || (waits(one) && waits(whole));
}

// The word for the whole: that of the first target that waits, or was refused.
std::string cause_of(const std::vector<target_result>& addressed, state whole) {
  const auto says = [&](auto matches) -> const target_result* {
    const auto found = std::find_if(addressed.begin(), addressed.end(), matches);
    return found == addressed.end() ? nullptr : &*found;
  };
  const auto* first = says([&](const auto& one) {
    return stand_alike(one.decided.next, whole) && one.what.said != verdict::bad_address;
  });
  if (first == nullptr)
    first = says([&](const auto& one) { return stand_alike(one.decided.next, whole); });
  if (first != nullptr) return first->decided.cause;
  return whole == state::permanent_failure ? "no_device" : "other_devices";
}

} // namespace

outcome outcome_of_targets(const std::vector<target_result>& addressed) {
  const auto first =
      std::min_element(addressed.begin(), addressed.end(),
                       [](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return first == addressed.end() ? outcome{} : first->what;
}

plan plan_of_targets(const std::vector<target_result>& addressed, const other_targets& others,
                     const doubt_policy& doubt) {
  tally all{others};
  for (const auto& one : addressed)
    all.add(one.decided);
  plan whole;
  if (all.in_doubt > 0)
    whole.next = state::in_doubt;
  else if (all.outstanding > 0)
    whole.next = std::any_of(addressed.begin(), addressed.end(), reached_a_provider)
                     ? state::retry_wait
                     : state::pending;
  else
    whole.next = all.accepted > 0 ? state::provider_accepted : state::permanent_failure;
  if (whole.next == state::provider_accepted) return whole;
  whole.cause = cause_of(addressed, whole.next);
  if (whole.next == state::permanent_failure) return whole;
  whole.hold = !all.due;
  whole.delay = all.due.value_or(milliseconds{0});
  if (whole.hold && doubt.rule == doubt_rule::wait) whole.gives_up_after = doubt.after;
  return whole;
}

std::string_view end_of_token(const outcome& what, std::int64_t registered_at_ms) {
  if (what.said != verdict::bad_address) return {};
  if (what.ended_at_ms > 0 && registered_at_ms > what.ended_at_ms) return {};
  return what.cause;
}

} // namespace arauto
