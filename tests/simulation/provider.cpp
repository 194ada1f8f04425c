#include "tests/simulation/provider.hpp"

#include <algorithm>
#include <stdexcept>

namespace arauto::simulation {

namespace {

using step_kind = provider::conversation::step;

outcome said(verdict what, const char* cause) {
  outcome made;
  made.said = what;
  made.cause = cause;
  if (what == verdict::accepted) made.provider_ref = "ref";
  return made;
}

} // namespace

void provider::open(int node, const channels::composed& what, steady::time_point trusted_until,
                    std::function<void(outcome)> answer) {
  conversation one;
  one.node = node;
  one.key = what.key;
  one.trusted_until = trusted_until;
  one.answer = std::move(answer);
  later(one, step_kind::waiting);
  open_.push_back(std::move(one));
}

// A step takes milliseconds, or as long as a lease.
void provider::later(conversation& one, conversation::step next) {
  one.at = next;
  const auto longest = chance_.one_in(rates.slow) ? 9'000'000 : 20'000;
  one.due = around_.now() + moment{chance_.between(0, longest)};
}

void provider::answer_later(conversation& one, verdict what, const char* cause) {
  one.said = said(what, cause);
  later(one, step_kind::answered);
}

moment provider::next_due(const node_filter& runs) const {
  auto next = never;
  for (const auto& one : open_)
    if (runs(one.node)) next = std::min(next, one.due);
  return next;
}

void provider::take(const delivery_key& key) {
  ++taken[key];
  around_.noted("taken", key);
}

void provider::end_content(conversation& one) {
  if (around_.clock_of(one.node) > one.trusted_until)
    return answer_later(one, verdict::refused_for_now, "trust_ended");
  if (chance_.one_in(rates.refused)) return answer_later(one, verdict::refused, "policy");
  if (chance_.one_in(rates.bad_address)) return answer_later(one, verdict::bad_address, "no_user");
  if (mood == provider_mood::overloaded || chance_.one_in(rates.refused_for_now))
    return answer_later(one, verdict::refused_for_now, "greylisted");
  if (chance_.one_in(rates.lost_before)) return answer_later(one, verdict::unknown, "lost_answer");
  take(one.key);
  if (chance_.one_in(rates.lost_answer)) return answer_later(one, verdict::unknown, "lost_answer");
  answer_later(one, verdict::accepted, "");
}

void provider::step(conversation& one) {
  switch (one.at) {
  case step_kind::waiting:
    if (around_.clock_of(one.node) > one.trusted_until)
      return answer_later(one, verdict::not_begun, "trust_ended");
    if (mood == provider_mood::unreachable)
      return answer_later(one, verdict::not_begun, "connect_failed");
    if (mood == provider_mood::refuses_account)
      return answer_later(one, verdict::account_refused, "credentials");
    around_.begins(one.node, one.key);
    ++begun[one.key];
    return later(one, step_kind::in_content);
  case step_kind::in_content: return end_content(one);
  case step_kind::answered: {
    around_.noted("answered", one.key);
    const auto answer = std::move(one.answer);
    one.due = never;
    answer(one.said);
  }
  }
}

void provider::go_on(const node_filter& runs) {
  const auto now = around_.now();
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (open_[i].due <= now && runs(open_[i].node)) step(open_[i]);
  open_.erase(
      std::remove_if(open_.begin(), open_.end(), [](const auto& one) { return one.due == never; }),
      open_.end());
}

void provider::node_died(int node) {
  for (auto& one : open_) {
    if (one.node != node) continue;
    if (one.at == step_kind::in_content && chance_.one_in(2)) take(one.key);
    one.due = never;
  }
  open_.erase(
      std::remove_if(open_.begin(), open_.end(), [](const auto& one) { return one.due == never; }),
      open_.end());
}

result<channels::composed> simulated_port::compose(const message& what) const {
  if (std::exchange(planned_->compose_throws, false) || what.to_address == planned_->poison)
    throw std::runtime_error{"planned"};
  channels::composed made;
  made.key = what.key;
  made.to = what.to_address;
  return made;
}

void simulated_port::send(channels::composed what, steady::time_point trusted_until,
                          std::function<void(outcome)> answer) {
  if (std::exchange(planned_->send_throws, false)) throw std::runtime_error{"planned"};
  behind_.open(node_, what, trusted_until, std::move(answer));
}

} // namespace arauto::simulation
