#include "actors/delivery_facts.hpp"

#include "storage/model/targets.hpp"

namespace arauto {

outcome outcome_of(verdict said, const char* cause) {
  outcome what;
  what.said = said;
  what.cause = cause;
  return what;
}

plan planned(const delivery_memory& s, const outcome& said) {
  const auto& rules = s.house->settings;
  return plan_after(said, s.facts.attempts, s.facts.deferrals, s.facts.doubts, rules.retry,
                    s.facts.doubt.or_else(rules.doubt), s.house->chance());
}

storage::settlement settlement_of(const delivery_memory& s, const outcome& said, plan decided) {
  const bool nothing_reached_them =
      said.said == verdict::not_begun || said.said == verdict::account_refused;
  storage::settlement what;
  what.key = s.held.key;
  what.held = s.held.held;
  what.tenant = s.held.tenant;
  what.what = said;
  what.decided = std::move(decided);
  what.attempted = !nothing_reached_them;
  what.given_back = nothing_reached_them;
  what.deferred = nothing_reached_them;
  return what;
}

storage::target_told told(const delivery_memory& s, const delivery_memory::one_send& one) {
  return {one.target.device_id, one.target.registered_at, *one.said, planned(s, *one.said),
          std::string{end_of_token(*one.said, one.target.registered_at_ms)}};
}

message message_for(const delivery_memory& s, const std::vector<part>& parts,
                    const target_facts& target) {
  const auto& f = s.facts;
  return {f.key, f.to_address, f.to_name,       f.sender_address, f.sender_name,
          parts, f.urgency,    f.expires_in_ms, f.through.app,    target};
}

} // namespace arauto
