// The simulated store and PostgreSQL side by side, and what both say as text that can be compared.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <pqxx/pqxx>

#include "storage/model/state.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/store.hpp"
#include "tests/support/ledger.hpp"

namespace arauto::tests {

using simulation::dice;
using simulation::moment;
using simulation::never;
using namespace std::chrono_literals;

inline std::string word(bool is, const char* what) {
  return is ? std::string{" "} + what : "";
}

struct twin_rows : ledger {
  dice chance;
  moment now{1'000'000'000'000};
  simulation::store rows{[this] { return now; }};
  std::vector<event_id> events;
  std::vector<storage::held_delivery> tokens; // every lease that ever was
  int moved = 0;
  std::string told;                    // the questions so far
  std::string difference;              // the first; empty: none
  std::map<std::string, int> accepted; // by verdict
  pqxx::connection looking{url};

  explicit twin_rows(std::uint64_t seed)
      : chance{seed}, told{"seed " + std::to_string(seed) + '\n'} {
    add_user(acme, {"ben"}, "ben@example.com");
    rows.put_person({acme, {"ana"}}, "ana@example.com");
    rows.put_person({acme, {"ben"}}, "ben@example.com");
  }

  template <class Answer>
  Answer expected(result<Answer> made) {
    BOOST_REQUIRE_MESSAGE(made, told + to_string(made.error()) + " " + made.why().text);
    return std::move(*made);
  }
  void same(const std::string& what, const std::string& real, const std::string& simulated) {
    if (real != simulated && difference.empty())
      difference = told + '\n' + what + "\nreal:      " + real + "\nsimulated: " + simulated;
  }

  pqxx::result sql(const std::string& text) { // over one connection, not one each
    pqxx::nontransaction work{looking};
    return work.exec(text);
  }

  // -- looking -----------------------------------------------------------------

  std::string all_rows() {
    std::string all;
    for (const auto& [key, row] : rows.deliveries) {
      const bool waits = !is_final(row.now) && row.now != state::leased;
      const std::string due = !waits                         ? ""
                              : row.next_attempt_at == never ? "held"
                              : row.next_attempt_at <= now   ? "due"
                                                             : "later";
      all += key.event.text.substr(30) + ' ' + to_string(row.now) + ' ' + due + ' '
             + std::to_string(row.attempts) + ' ' + std::to_string(row.attempts_before) + ' '
             + std::to_string(row.deferrals) + ' ' + std::to_string(row.lost_leases) + ' '
             + std::to_string(row.doubts) + ' ' + std::to_string(row.replays) + ' '
             + std::to_string(row.token) + " [" + row.stop_reason + '|' + row.cause + '|'
             + row.provider_ref + '|' + row.resolved_as + ']'
             + word(row.begun_at.has_value(), "begun")
             + word(row.accepted_at.has_value(), "accepted")
             + word(row.settled_at.has_value(), "settled")
             + word(row.doubted_at.has_value(), "doubted")
             + word(row.gives_up_at.has_value(), "gives_up") + '\n';
    }
    for (const auto& [key, one] : rows.attempts)
      all += key.first.event.text.substr(30) + ' ' + std::to_string(key.second) + ' '
             + std::to_string(one.number) + ' ' + one.outcome + ' ' + std::to_string(one.code)
             + word(one.late, "late") + '\n';
    for (const auto& [tenant, digest] : rows.suppressions)
      all += digest + '\n';
    return all;
  }

  std::string real_rows() {
    std::string all;
    for (const auto& row : sql(R"(
      select substr(event_id::text, 31) || ' ' || state || ' ' ||
        case when state not in ('pending', 'retry_wait', 'in_doubt') then ''
             when next_attempt_at = 'infinity' then 'held'
             when next_attempt_at <= clock_timestamp() then 'due' else 'later' end || ' ' ||
        concat_ws(' ', attempts, attempts_before, deferrals, lost_leases, doubts, replays,
                  lease_token) ||
        ' [' || coalesce(stop_reason, '') || '|' || coalesce(cause, '') || '|' ||
        coalesce(provider_ref, '') || '|' || coalesce(resolved_as, '') || ']' ||
        case when begun_at is not null then ' begun' else '' end ||
        case when accepted_at is not null then ' accepted' else '' end ||
        case when settled_at is not null then ' settled' else '' end ||
        case when doubted_at is not null then ' doubted' else '' end ||
        case when gives_up_at is not null then ' gives_up' else '' end
        from arauto.delivery order by event_id)"))
      all += std::string{row[0].c_str()} + '\n';
    for (const auto& row : sql(R"(
      select substr(event_id::text, 31) || concat_ws(' ', '', lease_token, number, outcome, code) ||
             case when late then ' late' else '' end
        from arauto.attempt order by event_id, lease_token)"))
      all += std::string{row[0].c_str()} + '\n';
    for (const auto& row :
         sql("select encode(digest, 'hex') from arauto.suppression order by digest"))
      all += std::string{row[0].c_str()} + '\n';
    return all;
  }

  // -- answers as text --------------------------------------------------------------

  static std::string of_leases(const std::vector<storage::lease>& leases) {
    std::vector<std::string> all;
    for (const auto& one : leases)
      all.push_back(one.key.event.text + ' ' + std::to_string(one.held.number) + ' '
                    + to_string(one.urgency) + ' ' + std::to_string(one.lost_leases));
    std::sort(all.begin(), all.end());
    std::string text;
    for (const auto& one : all)
      text += one + '\n';
    return text;
  }

  static std::string of_permits(const std::vector<storage::permit>& permits) {
    std::string text;
    for (const auto& one : permits)
      text += (one.still_ours ? to_string(one.now) : "not ours") + ' ' + one.facts.to_address + ' '
              + one.facts.to_digest + ' ' + std::to_string(one.facts.attempts) + ' '
              + std::to_string(one.facts.deferrals) + ' ' + std::to_string(one.facts.doubts) + '\n';
    return text;
  }

  static std::string of_settled(const std::vector<storage::settled>& answers) {
    std::string text;
    for (const auto& one : answers)
      text += (one.ours ? "ours " : "stale ") + to_string(one.now) + '\n';
    return text;
  }

  static std::string of_reaped(const std::vector<storage::reaped>& all) {
    std::set<std::string> lines;
    for (const auto& one : all)
      lines.insert(one.key.event.text + ' ' + std::to_string(one.lost.number) + ' '
                   + to_string(one.now) + '\n');
    std::string text;
    for (const auto& one : lines)
      text += one;
    return text;
  }

  static std::string of_stops(const std::vector<storage::stop_view>& all) {
    std::string text;
    for (const auto& one : all)
      text += one.event.text + ' ' + one.came_to + '\n';
    return text;
  }
};

} // namespace arauto::tests
