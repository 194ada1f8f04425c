// settle.sql, stop_event.sql, stop_user.sql and what people change.
#include "tests/simulation/store.hpp"

#include <algorithm>

namespace arauto::simulation {

// -- settle.sql ------------------------------------------------------------------------

namespace {

std::string outcome_of(const storage::settlement& asked) {
  return asked.attempted ? std::string{spelled(asked.what.said)} : std::string{};
}

state becomes(const delivery_row& row, const storage::settlement& asked) {
  const auto wanted = asked.decided.next;
  const bool again = wanted == state::retry_wait || wanted == state::pending;
  if (wanted == state::provider_accepted || row.accepted_at) return state::provider_accepted;
  const bool lost = wanted == state::pending || wanted == state::permanent_failure;
  if (row.doubted_at && !asked.attempted && lost) return state::in_doubt;
  if (row.doubted_at && !row.stop_reason.empty() && again) return state::in_doubt;
  if (row.stop_reason.empty() || !again) return wanted;
  return row.stop_reason == "opted_out" ? state::suppressed : state::cancelled;
}

} // namespace

void store::move_settled(delivery_row& row, const storage::settlement& asked, state becomes) {
  row.now = becomes;
  if (asked.given_back && row.begun_at) --row.attempts;
  if (asked.deferred) ++row.deferrals;
  if (asked.lost)
    ++row.lost_leases;
  else if (asked.attempted)
    row.lost_leases = 0;
  const bool in_doubt = becomes == state::in_doubt;
  if (in_doubt && asked.attempted && asked.what.said == verdict::unknown) ++row.doubts;
  if (in_doubt && !row.doubted_at) row.doubted_at = clock();
  row.gives_up_at.reset();
  if (in_doubt && row.stop_reason.empty() && asked.decided.gives_up_after.count() > 0)
    row.gives_up_at = clock() + asked.decided.gives_up_after;
  const bool held = !row.stop_reason.empty() || asked.decided.next == state::permanent_failure;
  row.next_attempt_at =
      asked.decided.hold || (in_doubt && held) ? never : clock() + asked.decided.delay;
  row.begun_at.reset();
  row.lease_until.reset();
  row.owner = {};
  if (asked.attempted && !asked.what.provider_ref.empty())
    row.provider_ref = asked.what.provider_ref;
  if (becomes == state::provider_accepted)
    row.cause.clear();
  else if (!asked.decided.cause.empty())
    row.cause = asked.decided.cause;
  else if (!row.stop_reason.empty())
    row.cause = row.stop_reason;
  if (asked.decided.next == state::provider_accepted && !row.accepted_at) row.accepted_at = clock();
  if (is_final(becomes)) row.settled_at = clock();
}

void store::keep_evidence(delivery_row& row, const storage::settlement& asked, bool ends_doubt,
                          state becomes) {
  if (ends_doubt) {
    row.now = becomes;
    if (row.doubts == 1) row.doubted_at.reset();
    if (becomes == state::retry_wait) row.next_attempt_at = clock() + asked.decided.delay;
    row.gives_up_at.reset();
    if (becomes == state::provider_accepted)
      row.cause.clear();
    else if (!asked.decided.cause.empty())
      row.cause = asked.decided.cause;
    if (becomes != state::retry_wait) row.settled_at = clock();
  }
  if (row.provider_ref.empty()) row.provider_ref = asked.what.provider_ref;
  if (asked.what.said == verdict::accepted && !row.accepted_at) row.accepted_at = clock();
}

void store::keep_trail(const delivery_row& before, const storage::settlement& asked, bool ours) {
  const std::pair<delivery_key, std::int64_t> key{asked.key, asked.held.number};
  const auto found = attempts.find(key);
  if (found == attempts.end())
    attempts[key] = {before.attempts, outcome_of(asked), asked.what.code, !ours};
  else if (found->second.outcome == "unknown")
    found->second = {found->second.number, outcome_of(asked), asked.what.code, true};
}

storage::settled store::settle_one(const storage::settlement& asked) {
  const auto found = deliveries.find(asked.key);
  if (found == deliveries.end()) return {};
  auto& row = found->second;
  const auto was = row;
  const bool same_token = without_fence || was.token == asked.held.number;
  const bool ours = same_token && was.now == state::leased;
  const auto trail = attempts.find({asked.key, asked.held.number});
  const bool known = asked.attempted && trail != attempts.end() && !trail->second.late
                     && trail->second.outcome == outcome_of(asked);
  const bool ours_before = same_token && was.now != state::leased
                           && (asked.attempted ? known : was.now == asked.decided.next);
  const auto next = becomes(row, asked);
  const auto newer = attempts.lower_bound({asked.key, asked.held.number + 1});
  const bool newest = newer == attempts.end() || !(newer->first.first == asked.key);
  const bool newest_unknown =
      newest && trail != attempts.end() && trail->second.outcome == "unknown";
  const bool accepted = asked.attempted && asked.what.said == verdict::accepted;
  const bool refused =
      asked.attempted
      && (asked.what.said == verdict::refused || asked.what.said == verdict::refused_for_now
          || asked.what.said == verdict::bad_address);
  const bool ends_doubt = was.now == state::in_doubt
                          && (accepted || (newest_unknown && was.stop_reason.empty() && refused));
  if (ours)
    move_settled(row, asked, next);
  else if (!ours_before && (accepted || ends_doubt))
    keep_evidence(row, asked, ends_doubt, next);
  if (asked.attempted && !ours_before) keep_trail(was, asked, ours);
  if (!asked.suppress_digest.empty()) suppressions.insert({was.tenant, asked.suppress_digest});
  const bool moved = ours || (ends_doubt && !ours_before);
  return {ours || ours_before, moved ? next : was.now};
}

std::vector<storage::settled> store::settle(const std::vector<storage::settlement>& asked) {
  std::vector<storage::settled> answers;
  for (const auto& one : asked)
    answers.push_back(settle_one(one));
  return answers;
}

// -- resolve.sql -----------------------------------------------------------------------

std::optional<storage::resolved> store::resolve(const tenant_id& tenant, const delivery_key& which,
                                                storage::resolution as, int attempts_max) {
  const auto found = deliveries.find(which);
  if (found == deliveries.end() || found->second.tenant != tenant) return std::nullopt;
  auto& row = found->second;
  const std::string word = as == storage::resolution::accepted ? "accepted" : "not_accepted";
  if (row.now != state::in_doubt)
    return storage::resolved{row.resolved_as == word, false, row.now, {row.token}};
  if (as == storage::resolution::accepted)
    row.now = state::provider_accepted;
  else if (!row.stop_reason.empty() || row.attempts - row.attempts_before >= attempts_max)
    row.now = state::permanent_failure;
  else
    row.now = state::retry_wait;
  row.resolved_as = word;
  row.doubted_at.reset();
  row.gives_up_at.reset();
  row.next_attempt_at = clock();
  if (row.now == state::retry_wait)
    row.cause = "not_accepted";
  else if (row.now == state::permanent_failure)
    row.cause = row.stop_reason.empty() ? "attempts_exhausted" : row.stop_reason;
  else
    row.cause.clear();
  if (row.now == state::provider_accepted && !row.accepted_at) row.accepted_at = clock();
  if (row.now != state::retry_wait) row.settled_at = clock();
  return storage::resolved{true, true, row.now, {row.token}};
}

// -- replay.sql -------------------------------------------------------------------------

std::optional<storage::replay_answer>
store::replay(const tenant_id& tenant, const delivery_key& which, bool even_if_doubtful) {
  using said = storage::replay_verdict;
  const auto found = deliveries.find(which);
  if (found == deliveries.end() || found->second.tenant != tenant) return std::nullopt;
  auto& row = found->second;
  const bool erased = events.at(which.event).erased || people.at({tenant, row.user}).erased;
  auto verdict = said::replayed;
  if (row.now != state::permanent_failure && row.now != state::in_doubt)
    verdict = row.replays > 0 ? said::already : said::not_dead;
  else if (!row.stop_reason.empty())
    verdict = said::stopped;
  else if (erased)
    verdict = said::erased;
  else if (row.doubted_at && !even_if_doubtful)
    verdict = said::doubtful;
  else if (row.now == state::in_doubt && row.next_attempt_at <= clock())
    verdict = said::already;
  if (verdict == said::replayed) {
    if (row.now == state::permanent_failure) row.now = state::pending;
    row.next_attempt_at = clock();
    row.attempts_before = row.attempts;
    row.lost_leases = 0;
    ++row.replays;
    row.gives_up_at.reset();
    row.settled_at.reset();
  }
  return storage::replay_answer{verdict, row.now, {}};
}

// -- stop_event.sql, stop_user.sql --------------------------------------------------------

// arauto.stop_makes.
std::string store::stop_one(delivery_row& row, const std::string& reason) {
  if (row.stop_reason.empty()) row.stop_reason = reason;
  if (row.now == state::leased && row.begun_at) return "in_flight";
  if (is_final(row.now)) return to_string(row.now);
  row.owner = {};
  row.lease_until.reset();
  if (!row.accepted_at && row.doubted_at) {
    row.now = state::in_doubt;
    row.next_attempt_at = never;
    return "in_doubt";
  }
  row.settled_at = clock();
  row.gives_up_at.reset();
  row.cause = row.accepted_at ? "" : reason;
  row.now = row.accepted_at         ? state::provider_accepted
            : reason == "opted_out" ? state::suppressed
                                    : state::cancelled;
  return row.accepted_at ? "provider_accepted" : "stopped";
}

std::vector<storage::stop_view> store::stop_event(const tenant_id& tenant, const event_id& id,
                                                  const std::string& reason) {
  std::vector<storage::stop_view> met;
  for (auto& [key, row] : deliveries)
    if (row.tenant == tenant && key.event == id)
      met.push_back({key.event, key.via, stop_one(row, reason)});
  return met;
}

std::vector<storage::stop_view> store::stop_user(const person_key& who, const std::string& reason) {
  std::vector<storage::stop_view> met;
  const auto found = people.find(who);
  const bool all = reason == "erased";
  const bool unwanted = found != people.end() && found->second.opted_out;
  if (!all && !unwanted) return met;
  for (auto& [key, row] : deliveries)
    if (person_key{row.tenant, row.user} == who && !is_final(row.now))
      met.push_back({key.event, key.via, stop_one(row, reason)});
  return met;
}

// -- people -----------------------------------------------------------------------------

bool store::write_preference(const person_key& who, bool email_allowed) {
  const auto found = people.find(who);
  if (found == people.end() || found->second.erased) return false;
  found->second.opted_out = !email_allowed;
  return true;
}

bool store::bury(const person_key& who) {
  const auto found = people.find(who);
  if (found == people.end() || found->second.erased) return false;
  found->second.erased = true;
  found->second.email.clear();
  return true;
}

void store::erase_messages(const person_key& who) {
  for (auto& [id, event] : events)
    if (person_key{event.tenant, event.user} == who) event.erased = true;
}

void store::put_person(const person_key& who, const std::string& email) {
  auto& one = people[who];
  one.email = email;
  one.erased = false;
}

} // namespace arauto::simulation
