#include "actors/keeper.hpp"

#include <algorithm>
#include <set>

#include "actors/in_parts.hpp"
#include "storage/events.hpp"
#include "storage/log.hpp"
#include "storage/nodes.hpp"
#include "storage/retention.hpp"

namespace arauto {

namespace {

using self_ptr = keeper_actor::stateful_pointer<keeper_memory>;

constexpr std::size_t batch_max = 500;
constexpr std::chrono::milliseconds settle_again_after{500};

void ask_flush(self_ptr self) {
  if (std::exchange(self->state.flush_asked, true)) return;
  self->send(self, flush_due{});
}

// Remembers whether the database was there, for readyz and the reaper.
template <class T>
const result<T>& noted(self_ptr self, const result<T>& made) {
  const bool away = made.error() == errc::unavailable || made.error() == errc::commit_in_doubt;
  const bool was_there = self->state.house->database_seen.exchange(!away);
  if (was_there && away) log::warn("database_away", {{"reason", made.why().text}});
  if (!was_there && !away) log::info("database_back", {});
  return made;
}

template <class Item>
std::vector<Item> chunk(const std::vector<Item>& items, std::size_t from) {
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(from);
  return {begin, begin + static_cast<std::ptrdiff_t>(std::min(batch_max, items.size() - from))};
}

// Runs a waiting list in batches; `answered(index, result)` is told of each item.
template <class Answer, class Item, class Call, class Answered>
void run_batches(const std::vector<Item>& items, const Call& call, const Answered& answered) {
  for (std::size_t from = 0; from < items.size(); from += batch_max) {
    auto answers = in_parts<Answer>(chunk(items, from), call);
    for (std::size_t i = 0; i < answers.size(); ++i)
      answered(from + i, answers[i]);
  }
}

accepted_group commit_group(self_ptr self, const std::vector<notification>& group) {
  auto& s = self->state;
  accepted_group answer;
  answer.ones.resize(group.size());
  s.house->numbers.accept_group(group.size());
  run_batches<accept_answer>(
      group,
      [&](const std::vector<notification>& part) {
        return noted(self, storage::accept(*s.db, part, s.house->node, s.house->settings.lease));
      },
      [&](std::size_t i, result<accept_answer>& made) {
        auto& one = answer.ones[i];
        if (made) {
          one.answer = std::move(*made);
        } else if (made.error() == errc::busy) {
          one.answer.verdict = acceptance::in_progress; // an application's open transaction holds
                                                        // this very operation
        } else {
          one.failed = made.error() == errc::internal ? errc::internal : errc::unavailable;
        }
      });
  return answer;
}

void deliver(caf::typed_response_promise<storage::permit>& asker, storage::permit& made) {
  if (made.row_held)
    asker.deliver(caf::make_error(errc::busy));
  else
    asker.deliver(std::move(made));
}

void flush_permits(self_ptr self) {
  auto& s = self->state;
  auto batch = s.permits.taken();
  run_batches<storage::permit>(
      batch.items,
      [&](const std::vector<storage::permit_question>& part) {
        return noted(self, storage::ask_permits(*s.db, part, s.house->settings.lease));
      },
      [&](std::size_t i, result<storage::permit>& made) {
        if (made)
          deliver(batch.askers[i], *made);
        else
          batch.askers[i].deliver(caf::make_error(made.error()));
      });
}

// One statement cannot change a row twice: of a late worker and the holder of the newer lease, who
// settle the same delivery at once, the second waits for the next batch.
waiting_list<storage::settlement, storage::settled> take_settlements(self_ptr self) {
  auto all = self->state.settlements.taken();
  waiting_list<storage::settlement, storage::settled> batch;
  std::set<delivery_key> seen;
  for (std::size_t i = 0; i < all.items.size(); ++i) {
    auto& list = seen.insert(all.items[i].key).second ? batch : self->state.settlements;
    list.add(std::move(all.items[i]), std::move(all.askers[i]));
  }
  return batch;
}

// An answer of a provider is worth waiting for: while the database is away it is kept and asked
// again.
void flush_settlements(self_ptr self) {
  auto& s = self->state;
  auto batch = take_settlements(self);
  bool must_wait = false;
  run_batches<storage::settled>(
      batch.items,
      [&](const std::vector<storage::settlement>& part) {
        return noted(self, storage::settle(*s.db, part));
      },
      [&](std::size_t i, result<storage::settled>& made) {
        const auto why = made && made->row_held ? errc::busy : made.error();
        const bool away = why == errc::unavailable || why == errc::commit_in_doubt
                          || why == errc::busy || why == errc::try_again;
        if (why == errc::none)
          batch.askers[i].deliver(*made);
        else if (away) {
          must_wait = true;
          s.settlements.add(std::move(batch.items[i]), std::move(batch.askers[i]));
        } else
          batch.askers[i].deliver(caf::make_error(made.error()));
      });
  if (must_wait && !std::exchange(s.retry_asked, true))
    self->delayed_send(self, settle_again_after, retry_due{});
  else if (!s.settlements.items.empty() && !must_wait)
    ask_flush(self); // the second ones
}

// The usual case: both lists in one transaction. Whatever goes wrong is left to the ways above,
// each list on its own and in parts; what this one committed is found there again.
void flush_together(self_ptr self) {
  auto& s = self->state;
  const bool worth_it = !s.settlements.items.empty() && !s.permits.items.empty()
                        && s.settlements.items.size() <= batch_max
                        && s.permits.items.size() <= batch_max;
  if (!worth_it) return;
  auto settlements = take_settlements(self);
  auto made = noted(self, storage::settle_and_permit(*s.db, settlements.items, s.permits.items,
                                                     s.house->settings.lease));
  if (!made) {
    for (std::size_t i = 0; i < settlements.items.size(); ++i)
      s.settlements.add(std::move(settlements.items[i]), std::move(settlements.askers[i]));
    return;
  }
  auto permits = s.permits.taken();
  for (std::size_t i = 0; i < settlements.askers.size(); ++i)
    if (made->settlements[i].row_held)
      s.settlements.add(std::move(settlements.items[i]), std::move(settlements.askers[i]));
    else
      settlements.askers[i].deliver(made->settlements[i]);
  for (std::size_t i = 0; i < permits.askers.size(); ++i)
    deliver(permits.askers[i], made->permits[i]);
}

// A note that is lost here is said again by the settlement of its delivery.
void flush_notes(self_ptr self) {
  auto& s = self->state;
  const auto notes = std::exchange(s.notes, {});
  if (!notes.empty()) (void)noted(self, storage::note_targets(*s.db, notes));
}

void flush_renewals(self_ptr self) {
  auto& s = self->state;
  auto batch = s.renewals.taken();
  if (batch.items.empty()) return;
  std::vector<storage::held_delivery> all;
  for (const auto& list : batch.items)
    all.insert(all.end(), list.begin(), list.end());
  const auto made = noted(self, storage::renew(*s.db, all, s.house->settings.lease));
  for (std::size_t i = 0; i < batch.askers.size(); ++i) {
    if (!made) {
      batch.askers[i].deliver(caf::make_error(made.error()));
      continue;
    }
    leases_lost answer;
    for (const auto& one : batch.items[i])
      if (std::any_of(made->begin(), made->end(),
                      [&](const auto& lost) { return lost.key == one.key; }))
        answer.lost.push_back(one);
    batch.askers[i].deliver(std::move(answer));
  }
}

void flush_claims(self_ptr self) {
  auto& s = self->state;
  auto batch = s.rooms.taken();
  if (batch.items.empty()) return;
  auto made =
      noted(self, storage::claim(*s.db, batch.items, s.house->node, s.house->settings.lease));
  for (std::size_t i = 0; i < batch.askers.size(); ++i) {
    if (!made) {
      batch.askers[i].deliver(caf::make_error(made.error()));
      continue;
    }
    // Each lease goes to one asker, and no asker gets more than its room.
    claimed answer;
    auto& left = *made;
    const auto& wanted = batch.items[i];
    for (auto one = left.begin(); one != left.end();) {
      const bool fits = one->tenant == wanted.tenant && one->key.via == wanted.via
                        && answer.leases.size() < static_cast<std::size_t>(wanted.deliveries);
      if (fits) answer.leases.push_back(*one);
      one = fits ? left.erase(one) : std::next(one);
    }
    batch.askers[i].deliver(std::move(answer));
  }
}

void flush(self_ptr self) {
  self->state.flush_asked = false;
  flush_notes(self); // what is known of some devices, before anything else can go wrong
  flush_together(self);
  flush_settlements(self); // frees windows
  flush_renewals(self);    // keeps what we have
  flush_permits(self);
  flush_claims(self);
}

claimed claim_alone(self_ptr self) {
  auto& s = self->state;
  const auto made = noted(
      self, storage::claim_suspect(*s.db, s.house->served, s.house->node, s.house->settings.lease));
  claimed answer;
  if (made && *made) answer.leases.push_back(**made);
  return answer;
}

caf::result<leases_reaped> reap(self_ptr self) {
  auto& s = self->state;
  const auto& rules = s.house->settings;
  constexpr auto rows_max = static_cast<int>(batch_max);
  auto made = noted(
      self, storage::reap(*s.db, {rules.lost_leases_max, rules.retry.attempts_max, rules.doubt},
                          rows_max));
  if (!made) return caf::make_error(made.error());
  s.house->numbers.reaped(made->size());
  auto over = noted(self, storage::give_up_waits(*s.db, rows_max));
  if (!over) return caf::make_error(over.error());
  return leases_reaped{std::move(*made), std::move(*over)};
}

void show_life(self_ptr self) {
  auto& s = self->state;
  noted(self, storage::heartbeat(*s.db, s.house->node, ""));
  const auto doubts = noted(self, storage::count_in_doubt(*s.db, meter::in_doubt_max));
  if (doubts) s.house->numbers.in_doubt(doubts->deliveries, doubts->held);
}

caf::result<due_work> find_work(self_ptr self) {
  auto& s = self->state;
  const auto made = noted(self, storage::due_tenants(*s.db, s.house->served));
  if (!made) return caf::make_error(made.error());
  due_work answer;
  for (const auto& [tenant, via] : *made)
    answer.hints.push_back({tenant, via});
  return answer;
}

caf::result<events_forgotten> forget(self_ptr self) {
  auto& s = self->state;
  constexpr auto rows_max = static_cast<int>(batch_max);
  const auto made = noted(self, storage::retire(*s.db, s.house->settings.retention_days, rows_max));
  if (!made) return caf::make_error(made.error());
  if (*made > 0) log::info("events_forgotten", {{"events", *made}});
  return events_forgotten{*made == rows_max};
}

caf::result<accounts_found> look_for_accounts(self_ptr self, std::int64_t after) {
  constexpr auto rows_max = static_cast<int>(batch_max);
  auto made = noted(self, storage::accounts_since(*self->state.db, after, rows_max));
  if (!made) return caf::make_error(made.error());
  return accounts_found{std::move(*made)};
}

caf::result<account_found> look_for_account(self_ptr self, const std::string& id) {
  auto& s = self->state;
  auto made = noted(self, storage::find_account(*s.db, s.house->means.seals, id));
  if (!made) return caf::make_error(made.error());
  return account_found{std::move(*made)};
}

} // namespace

keeper_actor::behavior_type keeper(self_ptr self, house_ptr house) {
  keep_exceptions_quiet(self);
  auto& s = self->state;
  s.house = std::move(house);
  auto database = s.house->settings.database;
  database.observed = [house = s.house.get()](const char* name, std::chrono::nanoseconds took,
                                              std::size_t rows) {
    house->numbers.statement(name, took, rows);
  };
  s.db = std::make_unique<storage::session>(database);
  self->send(self, send_heartbeat{}); // connects now: later others may have taken every place
  return {
      [self](const commit_accepted& c) { return commit_group(self, c.group); },
      [self](const claim_due& c) {
        ask_flush(self);
        return self->state.rooms.add(c.wanted, self->make_response_promise<claimed>());
      },
      [self](claim_suspect) { return claim_alone(self); },
      [self](const ask_permit& a) {
        ask_flush(self);
        return self->state.permits.add(a.asked, self->make_response_promise<storage::permit>());
      },
      [self](settle_attempt& a) {
        ask_flush(self);
        return self->state.settlements.add(std::move(a.what),
                                           self->make_response_promise<storage::settled>());
      },
      [self](note_targets& n) {
        ask_flush(self);
        self->state.notes.push_back(std::move(n.what));
      },
      [self](renew_leases& r) {
        ask_flush(self);
        return self->state.renewals.add(std::move(r.held),
                                        self->make_response_promise<leases_lost>());
      },
      [self](const find_accounts& f) { return look_for_accounts(self, f.after); },
      [self](const find_account& f) { return look_for_account(self, f.id); },
      [self](const account_fares& word) {
        noted(self, storage::note_account(*self->state.db, word.which, word.cause, word.code));
      },
      [self](reap_leases) { return reap(self); },
      [self](find_due) { return find_work(self); },
      [self](forget_events) { return forget(self); },
      [self](send_heartbeat) { show_life(self); },
      [self](flush_due) { flush(self); },
      [self](retry_due) {
        self->state.retry_asked = false;
        flush_settlements(self);
      },
  };
}

} // namespace arauto
