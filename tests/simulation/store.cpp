#include "tests/simulation/store.hpp"

#include <algorithm>

#include "storage/model/chance.hpp"
#include "storage/model/state.hpp"

namespace arauto::simulation {

namespace {

constexpr int suspect_from = 2; // as the indexes delivery_due and delivery_suspect

bool waits(const delivery_row& row) {
  return row.now == state::pending || row.now == state::retry_wait || row.now == state::in_doubt;
}

void end_lease(delivery_row& row) {
  row.begun_at.reset();
  row.lease_until.reset();
  row.owner = {};
}

std::string meaning_of(const notification& asked) {
  return asked.user.text + '|' + asked.type + '|' + asked.variables + '|' + to_string(asked.urgency)
         + '|' + asked.send_at + '|' + asked.expires_at;
}

// Times come as numbers here; the front only asks whether there is one.
std::optional<moment> time_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return moment{std::stoll(text)};
}

state ended_by(const std::string& stop_reason) {
  return stop_reason == "opted_out" ? state::suppressed : state::cancelled;
}

} // namespace

std::string digest_of(const std::string& email) {
  return email.empty() ? std::string{} : sha256_hex(email);
}

// -- accept.sql -------------------------------------------------------------------

void store::make_event(const notification& asked, const node_id& owner, milliseconds lease) {
  const auto& who = people.at({asked.tenant, asked.user});
  events[asked.id] = {asked.tenant,
                      asked.user,
                      asked.type,
                      meaning_of(asked),
                      time_of(asked.send_at),
                      time_of(asked.expires_at),
                      false};
  operations[{asked.tenant, asked.operation}] = asked.id;
  delivery_row row;
  row.key = {asked.id, channel::email};
  row.tenant = asked.tenant;
  row.user = asked.user;
  row.urgency = asked.urgency;
  row.next_attempt_at = time_of(asked.send_at).value_or(clock());
  if (who.opted_out) {
    row.now = state::suppressed;
    row.cause = "opted_out";
  } else if (who.email.empty()) {
    row.now = state::permanent_failure;
    row.cause = "no_address";
  } else if (!asked.lease_at_once.empty() && asked.send_at.empty()) {
    row.now = state::leased;
    row.token = 1;
    row.owner = owner;
    row.lease_until = clock() + lease;
  }
  if (is_final(row.now)) row.settled_at = clock();
  deliveries[row.key] = row;
}

bool store::is_there(const person_key& who) const {
  const auto found = people.find(who);
  return found != people.end() && !found->second.erased;
}

accept_answer store::accept_one(const notification& asked) const {
  accept_answer answer;
  const auto known = operations.find({asked.tenant, asked.operation});
  if (known == operations.end()) {
    answer.verdict =
        is_there({asked.tenant, asked.user}) ? acceptance::expired : acceptance::unknown_user;
    return answer;
  }
  const auto& standing = events.at(known->second);
  if (standing.meaning != meaning_of(asked)) {
    answer.verdict = acceptance::conflict;
    return answer;
  }
  const bool ours = known->second == asked.id;
  answer.verdict = ours ? acceptance::created : acceptance::replayed;
  answer.id = known->second;
  answer.deliveries.push_back({channel::email, deliveries.at({known->second, channel::email}).now});
  return answer;
}

std::vector<accept_answer> store::accept(const std::vector<notification>& asked,
                                         const node_id& owner, milliseconds lease) {
  std::vector<accept_answer> answers;
  for (const auto& one : asked) {
    const bool over = time_of(one.expires_at).value_or(never) <= clock();
    const bool known = operations.count({one.tenant, one.operation}) > 0;
    if (is_there({one.tenant, one.user}) && !over && !known) make_event(one, owner, lease);
    answers.push_back(accept_one(one));
  }
  return answers;
}

// -- claim.sql, claim_suspect.sql, due_tenants.sql ---------------------------------------

std::vector<delivery_row*> store::due(const storage::room& wanted, priority urgency, int limit) {
  std::vector<delivery_row*> rows;
  for (auto& [key, row] : deliveries)
    if (row.tenant == wanted.tenant && key.via == wanted.via && row.urgency == urgency && waits(row)
        && row.lost_leases < suspect_from && row.stop_reason.empty()
        && row.next_attempt_at <= clock())
      rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return a->next_attempt_at < b->next_attempt_at;
  });
  if (rows.size() > static_cast<std::size_t>(std::max(0, limit)))
    rows.resize(static_cast<std::size_t>(std::max(0, limit)));
  return rows;
}

storage::lease store::lease_to(delivery_row& row, const node_id& owner, milliseconds length) {
  row.now = state::leased;
  ++row.token;
  row.owner = owner;
  row.begun_at.reset();
  row.lease_until = clock() + length;
  return {row.key, {row.token}, row.tenant, row.urgency, row.lost_leases};
}

std::vector<storage::lease> store::claim(const std::vector<storage::room>& rooms,
                                         const node_id& owner, milliseconds lease) {
  std::vector<storage::lease> leases;
  for (const auto& wanted : rooms) {
    auto rows = due(wanted, priority::urgent, wanted.urgent);
    const auto left = wanted.deliveries - static_cast<int>(rows.size());
    const auto normal = due(wanted, priority::normal, left);
    rows.insert(rows.end(), normal.begin(), normal.end());
    for (auto* row : rows)
      leases.push_back(lease_to(*row, owner, lease));
  }
  return leases;
}

std::optional<storage::lease> store::claim_suspect(const node_id& owner, milliseconds lease) {
  delivery_row* first = nullptr;
  for (auto& [key, row] : deliveries)
    if (waits(row) && row.lost_leases >= suspect_from && row.stop_reason.empty()
        && row.next_attempt_at <= clock()
        && (first == nullptr || row.next_attempt_at < first->next_attempt_at))
      first = &row;
  if (first == nullptr) return std::nullopt;
  return lease_to(*first, owner, lease);
}

std::vector<std::pair<tenant_id, channel>> store::due_tenants() const {
  std::set<std::pair<tenant_id, channel>> found;
  for (const auto& [key, row] : deliveries)
    if (waits(row) && row.lost_leases < suspect_from && row.next_attempt_at <= clock())
      found.insert({row.tenant, key.via});
  return {found.begin(), found.end()};
}

// -- permit.sql, renew.sql ---------------------------------------------------------------

delivery_row* store::held_by(const storage::held_delivery& whose) {
  const auto found = deliveries.find(whose.key);
  if (found == deliveries.end()) return nullptr;
  auto& row = found->second;
  const bool ours = row.token == whose.held.number && row.now == state::leased
                    && row.lease_until.value() > clock();
  return ours ? &row : nullptr;
}

storage::permit store::permit_one(const storage::held_delivery& asked, milliseconds lease) {
  auto* row = held_by(asked);
  if (row == nullptr) return {};
  const auto& event = events.at(asked.key.event);
  const auto& who = people.at({row->tenant, row->user});
  const bool shunned = suppressions.count({row->tenant, digest_of(who.email)}) > 0;
  auto verdict = state::leased;
  if (row->accepted_at)
    verdict = state::provider_accepted;
  else if (row->begun_at)
    verdict = state::leased;
  else if (!row->stop_reason.empty())
    verdict = ended_by(row->stop_reason);
  else if (event.expires_at && *event.expires_at <= clock())
    verdict = state::expired;
  else if (who.opted_out)
    verdict = state::suppressed;
  else if (who.email.empty())
    verdict = state::permanent_failure;
  else if (shunned)
    verdict = state::suppressed;
  const std::string cause = !row->stop_reason.empty() ? row->stop_reason
                            : who.opted_out           ? "opted_out"
                            : who.email.empty()       ? "no_address"
                            : shunned                 ? "address_suppressed"
                                                      : "";
  if (row->doubted_at && verdict != state::leased && verdict != state::provider_accepted)
    verdict = state::in_doubt;
  row->now = verdict;
  if (verdict == state::leased) {
    if (!row->begun_at) {
      ++row->attempts;
      row->begun_at = clock();
    }
    row->lease_until = clock() + lease;
  } else {
    end_lease(*row);
    if (verdict == state::in_doubt)
      row->next_attempt_at = never;
    else
      row->settled_at = clock();
    if (!cause.empty()) row->cause = cause;
  }
  storage::permit answer{true, verdict, {}};
  if (verdict != state::leased) return answer;
  auto& facts = answer.facts;
  facts.key = asked.key;
  facts.held = asked.held;
  facts.to_address = who.email;
  facts.to_digest = digest_of(who.email);
  facts.parts = {{"subject", "Order {{order}}"}, {"text", "Order {{order}} is on its way."}};
  facts.variables = R"({"order":"A-1"})";
  facts.attempts = row->attempts - row->attempts_before;
  facts.deferrals = row->deferrals;
  facts.doubts = row->doubts;
  facts.doubt = templates[row->tenant];
  return answer;
}

std::vector<storage::permit> store::permit(const std::vector<storage::held_delivery>& asked,
                                           milliseconds lease) {
  std::vector<storage::permit> answers;
  for (const auto& one : asked)
    answers.push_back(permit_one(one, lease));
  return answers;
}

std::vector<storage::held_delivery> store::renew(const std::vector<storage::held_delivery>& asked,
                                                 milliseconds lease) {
  std::vector<storage::held_delivery> lost;
  for (const auto& one : asked)
    if (auto* row = held_by(one))
      row->lease_until = clock() + lease;
    else
      lost.push_back(one);
  return lost;
}

// -- reap.sql, give_up_waits.sql ---------------------------------------------------------

void store::reap_one(delivery_row& row, const storage::reap_rules& rules) {
  const auto& doubt = templates[row.tenant].or_else(rules.doubt);
  const bool begun = row.begun_at.has_value();
  const bool stopped = !row.stop_reason.empty();
  auto becomes = state::pending;
  if (row.accepted_at)
    becomes = state::provider_accepted;
  else if (begun || row.doubted_at)
    becomes = state::in_doubt;
  else if (stopped)
    becomes = ended_by(row.stop_reason);
  else if (row.lost_leases + 1 >= rules.lost_leases_max)
    becomes = state::permanent_failure;
  const bool in_doubt = becomes == state::in_doubt;
  const bool again = doubt.rule == doubt_rule::resend && row.doubts < doubt.resends_max
                     && row.attempts - row.attempts_before < rules.attempts_max;
  if (begun) attempts.insert({{row.key, row.token}, {row.attempts, "unknown", 0, false}});
  if (!in_doubt)
    row.next_attempt_at = clock();
  else if (stopped)
    row.next_attempt_at = never;
  else if (!begun && row.lost_leases + 1 < rules.lost_leases_max)
    row.next_attempt_at = clock();
  else
    row.next_attempt_at = begun && again ? clock() + doubt.after : never;
  row.gives_up_at.reset();
  if (in_doubt && begun && doubt.rule == doubt_rule::wait && !stopped)
    row.gives_up_at = clock() + doubt.after;
  if (in_doubt && begun) ++row.doubts;
  if (in_doubt && !row.doubted_at) row.doubted_at = clock();
  if (!begun) ++row.lost_leases;
  row.now = becomes;
  end_lease(row);
  if (becomes == state::suppressed || becomes == state::cancelled)
    row.cause = row.stop_reason;
  else
    row.cause = becomes == state::provider_accepted ? "" : "worker_lost";
  if (is_final(becomes)) row.settled_at = clock();
}

std::vector<storage::reaped> store::reap(const storage::reap_rules& rules, int rows_max) {
  std::vector<storage::reaped> all;
  for (auto& [key, row] : deliveries) {
    if (row.now != state::leased || *row.lease_until > clock()) continue;
    if (all.size() == static_cast<std::size_t>(rows_max)) break;
    reap_one(row, rules);
    all.push_back({row.tenant, key, {row.token}, row.now});
  }
  return all;
}

std::vector<storage::reaped> store::give_up_waits(int rows_max) {
  std::vector<storage::reaped> all;
  for (auto& [key, row] : deliveries) {
    const bool over = row.now == state::in_doubt && row.stop_reason.empty() && row.gives_up_at
                      && *row.gives_up_at <= clock();
    if (!over || all.size() == static_cast<std::size_t>(rows_max)) continue;
    row.now = state::permanent_failure;
    row.cause = "unconfirmed";
    row.gives_up_at.reset();
    row.settled_at = clock();
    all.push_back({row.tenant, key, {row.token}, row.now});
  }
  return all;
}

} // namespace arauto::simulation
