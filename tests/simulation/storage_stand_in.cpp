// Linked instead of arauto_storage: the product's keeper, unchanged, calls these and meets the
// simulated store. A function that is missing here is a link error, so nothing real can slip in.
#include <map>
#include <stdexcept>

#include "storage/accounts.hpp"
#include "storage/nodes.hpp"
#include "storage/notices.hpp"
#include "storage/retention.hpp"
#include "storage/watchdog.hpp"
#include "tests/simulation/door.hpp"

namespace arauto {

namespace simulation {

door*& open_door() {
  thread_local door* here = nullptr;
  return here;
}

namespace {

// Which node a session belongs to: its URL is the node's number.
std::map<const storage::session*, int>& sessions() {
  thread_local std::map<const storage::session*, int> all;
  return all;
}

template <class Answer, class Call>
result<Answer> perform(const storage::session& db, std::string_view name, const Call& call) {
  auto& world = *open_door();
  const auto node = sessions().at(&db);
  const auto what = world.of_call(node, name);
  switch (what) {
  case fate::away: return errc::unavailable;
  case fate::busy: return errc::busy;
  case fate::in_doubt_undone: return errc::commit_in_doubt;
  case fate::crash: throw std::runtime_error{"planned"};
  default: break;
  }
  result<Answer> made{call(world.rows())};
  world.changed(node, name);
  if (what == fate::crash_after_commit) throw std::runtime_error{"planned"};
  if (what == fate::in_doubt_done) return errc::commit_in_doubt;
  return made;
}

// Of a row that somebody else holds nothing is known but that.
template <class Answer, class Item, class Ask>
std::vector<Answer> of_free_rows(const std::vector<Item>& asked, const Ask& ask) {
  std::vector<Answer> answers;
  for (const auto& one : asked) {
    answers.emplace_back();
    if (open_door()->row_held(one.key))
      answers.back().row_held = true;
    else
      answers.back() = ask(one);
  }
  return answers;
}

std::vector<storage::permit> permit(store& rows, const std::vector<storage::permit_question>& asked,
                                    storage::milliseconds length) {
  return of_free_rows<storage::permit>(asked, [&](const auto& one) {
    return rows.permit({{one.key, one.held, one.tenant}}, length).front();
  });
}

std::vector<storage::settled> settle(store& rows, const std::vector<storage::settlement>& asked) {
  return of_free_rows<storage::settled>(asked, [&](const auto& one) {
    open_door()->settling({one});
    return rows.settle({one}).front();
  });
}

} // namespace

} // namespace simulation

namespace storage {

using simulation::perform;
using simulation::store;

session::session(const database_settings& settings) : settings_{settings} {
  simulation::sessions()[this] = std::stoi(settings.url);
}

session::~session() {
  simulation::sessions().erase(this);
}

watchdog::~watchdog() = default; // never made

class notices::ear {}; // nobody listens in this world
notices::notices(const database_settings&) {}
notices::~notices() = default;
result<heard> notices::wait(std::chrono::milliseconds) {
  return errc::unavailable;
}

result<std::vector<accept_answer>> accept(session& db, const std::vector<notification>& asked,
                                          const node_id& owner, milliseconds lease) {
  return perform<std::vector<accept_answer>>(
      db, "accept", [&](store& rows) { return rows.accept(asked, owner, lease); });
}

result<std::vector<lease>> claim(session& db, const std::vector<room>& rooms, const node_id& owner,
                                 milliseconds length) {
  return perform<std::vector<lease>>(db, "claim",
                                     [&](store& rows) { return rows.claim(rooms, owner, length); });
}

result<std::optional<lease>> claim_suspect(session& db, const std::vector<channel>&,
                                           const node_id& owner, milliseconds length) {
  return perform<std::optional<lease>>(
      db, "claim_suspect", [&](store& rows) { return rows.claim_suspect(owner, length); });
}

result<std::vector<permit>> ask_permits(session& db, const std::vector<permit_question>& asked,
                                        milliseconds length) {
  if (asked.empty()) return std::vector<permit>{};
  return perform<std::vector<permit>>(
      db, "permit", [&](store& rows) { return simulation::permit(rows, asked, length); });
}

result<std::vector<settled>> settle(session& db, const std::vector<settlement>& asked) {
  if (asked.empty()) return std::vector<settled>{};
  return perform<std::vector<settled>>(
      db, "settle", [&](store& rows) { return simulation::settle(rows, asked); });
}

result<done> note_targets(session& db, const std::vector<targets_note>&) { // e-mail has none
  return perform<done>(db, "note_targets", [](store&) { return done{}; });
}

result<settled_and_permitted> settle_and_permit(session& db,
                                                const std::vector<settlement>& settlements,
                                                const std::vector<permit_question>& permits,
                                                milliseconds length) {
  return perform<settled_and_permitted>(db, "settle_and_permit", [&](store& rows) {
    settled_and_permitted both;
    both.settlements = simulation::settle(rows, settlements);
    both.permits = simulation::permit(rows, permits, length);
    return both;
  });
}

result<std::vector<held_delivery>> renew(session& db, const std::vector<held_delivery>& asked,
                                         milliseconds length) {
  return perform<std::vector<held_delivery>>(db, "renew", [&](store& rows) {
    std::vector<held_delivery> free, not_renewed;
    for (const auto& one : asked)
      (simulation::open_door()->row_held(one.key) ? not_renewed : free).push_back(one);
    for (const auto& one : rows.renew(free, length))
      not_renewed.push_back(one);
    return not_renewed;
  });
}

result<std::vector<reaped>> reap(session& db, const reap_rules& rules, int rows_max) {
  return perform<std::vector<reaped>>(db, "reap",
                                      [&](store& rows) { return rows.reap(rules, rows_max); });
}

result<std::vector<reaped>> give_up_waits(session& db, int rows_max) {
  return perform<std::vector<reaped>>(db, "give_up_waits",
                                      [&](store& rows) { return rows.give_up_waits(rows_max); });
}

result<doubt_count> count_in_doubt(session& db, int) {
  return perform<doubt_count>(db, "count_in_doubt", [](store&) { return doubt_count{}; });
}

result<std::vector<std::pair<tenant_id, channel>>> due_tenants(session& db,
                                                               const std::vector<channel>&) {
  return perform<std::vector<std::pair<tenant_id, channel>>>(
      db, "due_tenants", [](store& rows) { return rows.due_tenants(); });
}

// No tenant has an account of its own here: the house's serves them all.
result<std::vector<account_place>> accounts_since(session& db, std::int64_t, int) {
  return perform<std::vector<account_place>>(db, "accounts_since",
                                             [](store&) { return std::vector<account_place>{}; });
}

result<account_contents> find_account(session&, const seal_ring&, const std::string&) {
  return errc::not_found;
}

result<done> note_account(session& db, const account_place&, const std::string&, int) {
  return perform<done>(db, "note_account", [](store&) { return done{}; });
}

result<done> heartbeat(session& db, const node_id&, const std::string&) {
  return perform<done>(db, "heartbeat", [](store&) { return done{}; });
}

result<int> retire(session& db, int, int) { // no event grows that old here
  return perform<int>(db, "retire", [](store&) { return 0; });
}

} // namespace storage

namespace log {

field::field(std::string_view name, std::string_view value) : text{head(name)} {
  text += value;
}

std::string field::head(std::string_view name) {
  return std::string{name} + '=';
}

void write(level, std::string_view event, std::initializer_list<field> fields) {
  if (auto* world = simulation::open_door()) world->logged(event, fields);
}

} // namespace log

} // namespace arauto
