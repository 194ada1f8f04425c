#include "tests/simulation/oracle.hpp"

#include "storage/model/state.hpp"

namespace arauto::simulation {

void oracle::violated(const std::string& invariant, const delivery_key& key,
                      const std::string& what) {
  if (violation.empty()) violation = invariant + ": " + key.event.text + ": " + what;
}

// -- told of -----------------------------------------------------------------------------

void oracle::acknowledged(const tenant_id& tenant, const operation_id& operation,
                          const event_id& id, const std::string& meaning) {
  const auto [found, first] = promised_.try_emplace({tenant, operation}, id, meaning);
  if (!first && found->second.first != id)
    violated("I13", {id, channel::email}, "one operation was acknowledged with two ids");
  if (!first && found->second.second != meaning)
    violated("I13", {id, channel::email}, "another meaning was acknowledged as the same");
  if (rows_.events.count(id) == 0)
    violated("I1", {id, channel::email}, "acknowledged before it was committed");
}

void oracle::stop_acknowledged(const std::vector<storage::stop_view>& met, moment now) {
  for (const auto& one : met)
    stops_.try_emplace({one.event, one.via}, stopped{now, one.came_to == "in_flight"});
}

void oracle::opt_out_acknowledged(const store::person_key& who, moment now) {
  opted_out_.try_emplace(who, now);
}

void oracle::settling(const std::vector<storage::settlement>& asked) {
  for (const auto& one : asked) {
    const auto found = rows_.deliveries.find(one.key);
    if (found != rows_.deliveries.end() && found->second.token != one.held.number)
      stale_.insert(one.key);
  }
}

// -- judges --------------------------------------------------------------------------------

void oracle::compare(const delivery_row& before, const delivery_row& after) {
  const auto& key = after.key;
  const bool moved = before.now != after.now;
  if (moved && !may_move(before.now, after.now))
    violated("I9", key, "moved from " + to_string(before.now) + " to " + to_string(after.now));
  const bool claimed = after.token != before.token;
  if (claimed && after.token != before.token + 1) violated("I9", key, "its token jumped");
  if (claimed && is_final(before.now)) violated("I9", key, "claimed after it had ended");
  if (claimed && before.now == state::leased && !stale_.count(key))
    violated("I10", key, "claimed while it was leased");
  if (!before.stop_reason.empty() && after.stop_reason != before.stop_reason)
    violated("I12", key, "a stop was taken back");
  if (claimed && !before.stop_reason.empty()) violated("I12", key, "claimed after a stop");
  if (after.attempts - after.attempts_before > rules_.retry.attempts_max)
    violated("I8", key, "too many attempts");
  if (after.lost_leases > rules_.lost_leases_max) violated("I8", key, "too many lost leases");
  if ((after.now == state::leased) != after.lease_until.has_value())
    violated("I10", key, "a lease without an end, or an end without a lease");
}

void oracle::after_call(std::string_view name, moment now) {
  for (const auto& [key, row] : rows_.deliveries) {
    const auto known = before_.find(key);
    if (known == before_.end()) {
      before_.emplace(key, row);
      continue;
    }
    auto& before = known->second;
    compare(before, row);
    if (row.begun_at && row.begun_at != before.begun_at) {
      if (row.attempts != before.attempts + 1) violated("I8", key, "a permit was not counted");
      permits_[key].insert(row.token);
    }
    if (name == "settle" && stale_.count(key) > 0) {
      const bool stays = before.now == row.now || before.now == state::in_doubt;
      if (!stays || before.attempts != row.attempts || before.begun_at != row.begun_at)
        violated("I9", key, "a stale settlement was written");
    }
    if (name == "claim" && row.token != before.token && before.next_attempt_at > now)
      violated("I15", key, "claimed before its time");
    before = row;
  }
  stale_.clear();
}

void oracle::content_begins(const node_id& by, const delivery_key& key, moment now) {
  const auto found = rows_.deliveries.find(key);
  if (found == rows_.deliveries.end()) return violated("I1", key, "sent and unknown");
  const auto& row = found->second;
  const auto& event = rows_.events.at(key.event);
  if (row.now != state::leased || row.owner != by || *row.lease_until <= now)
    return violated("I10", key, "sent without a living lease, in " + to_string(row.now));
  if (!row.begun_at) return violated("I10", key, "sent without a permit");
  if (event.send_at && *event.send_at > now) violated("I15", key, "sent before its time");
  if (event.expires_at && *event.expires_at <= *row.begun_at)
    violated("I19", key, "permitted after it had expired");
  if (const auto stop = stops_.find(key); stop != stops_.end()) {
    if (!stop->second.in_flight) violated("I12", key, "sent after its stop was acknowledged");
    if (*row.begun_at > stop->second.at) violated("I12", key, "permitted after its stop");
    if (++stop->second.begun_after > 1) violated("I12", key, "sent twice after its stop");
  }
  const auto mind = opted_out_.find({row.tenant, row.user});
  if (mind != opted_out_.end() && *row.begun_at > mind->second)
    violated("I11", key, "permitted after an opt-out was acknowledged");
}

void oracle::clean_stop(const node_id& by) {
  for (const auto& [key, row] : rows_.deliveries)
    if (row.owner == by) violated("I20", key, "an orderly stop left a lease");
}

void oracle::at_the_end(const provider& journal) {
  for (const auto& [operation, promise] : promised_)
    if (rows_.deliveries.count({promise.first, channel::email}) != 1)
      violated("I1", {promise.first, channel::email}, "acknowledged and lost");
  for (const auto& [id, event] : rows_.events)
    if (rows_.deliveries.count({id, channel::email}) != 1)
      violated("I2", {id, channel::email}, "an event without its delivery");
  const auto count = [](const auto& map, const delivery_key& key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
  };
  for (const auto& [key, row] : rows_.deliveries) {
    const auto taken = count(journal.taken, key);
    const auto begun = count(journal.begun, key);
    const bool held = row.now == state::in_doubt && row.next_attempt_at == never
                      && (!row.gives_up_at || !row.stop_reason.empty());
    const bool by_a_person = row.resolved_as == "accepted";
    if (!is_final(row.now) && !held) violated("I4", key, "stuck in " + to_string(row.now));
    if (row.now == state::provider_accepted && taken == 0 && !by_a_person)
      violated("I5", key, "accepted by nobody");
    if (taken > 0 && row.now != state::provider_accepted && row.doubts == 0 && !row.accepted_at)
      violated("I6", key, "taken by the provider, and " + to_string(row.now));
    if (taken > 1 && row.doubts == 0) violated("I7", key, "taken twice without a doubt");
    const auto permits = permits_.find(key);
    if (begun > (permits == permits_.end() ? 0 : static_cast<int>(permits->second.size())))
      violated("I8", key, "more sends than permits");
  }
}

} // namespace arauto::simulation
