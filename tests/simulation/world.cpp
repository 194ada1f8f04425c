#include "tests/simulation/world.hpp"

#include <algorithm>
#include <iostream>

namespace arauto::simulation {

namespace {

using namespace std::chrono_literals;

// Small numbers, so that every bound is met within a minute of the world's time.
office_settings small_rules(dice& chance) {
  office_settings rules;
  rules.listens = false; // nobody comes by the SQL door here
  rules.lease = 6s;
  rules.lease_margin = 2s;
  rules.poll = 1s;
  rules.work_keepers = 1 + static_cast<std::size_t>(chance.below(2));
  rules.window_max = 2 + static_cast<std::size_t>(chance.below(3));
  rules.accepts_max = 4;
  rules.accept_batch_max = 2;
  rules.accept_patience = 3s;
  rules.restart_window = 8s;
  rules.retry = {500ms, 2s, 4};
  rules.doubt = {doubt_rule::resend, 2s, 1 + static_cast<int>(chance.below(2))};
  return rules;
}

constexpr moment storm_max = 40s;
constexpr moment calm_max = 240s; // after it, whoever still waits is stuck

} // namespace

world::world(std::uint64_t seed, const world_options& options)
    : options_{options},
      dice_{seed},
      store_{[this] { return now_; }},
      provider_{
          {[this] { return now_; },
           [this](int number) { return nodes_.at(static_cast<std::size_t>(number) - 1)->clock(); },
           [this](int number, const delivery_key& key) {
             const auto& by = nodes_.at(static_cast<std::size_t>(number) - 1)->house->node;
             note("content", key.event.text);
             oracle_.content_begins(by, key, now_);
           },
           [this](const char* what, const delivery_key& key) { note(what, key.event.text); }},
          dice_},
      oracle_{store_, rules_},
      rules_{small_rules(dice_)},
      metrics_{std::make_shared<prometheus::Registry>()} {
  report_.seed = seed;
  store_.without_fence = options.without_fence;
  open_door() = this;
}

world::~world() {
  open_door() = nullptr;
}

void world::note(std::string_view what, std::string_view about) {
  hash_.mix(static_cast<std::uint64_t>(now_.count()));
  hash_.mix_text(what);
  hash_.mix_text(about);
  if (options_.told)
    std::cout << std::chrono::duration<double>(now_).count() << " node " << running_ << ": " << what
              << ' ' << about << '\n';
}

void world::at(moment when, std::function<void()> what) {
  agenda_.emplace(when, std::move(what));
}

// -- door ----------------------------------------------------------------------------------

fate world::of_call(int number, std::string_view name) {
  auto& by = *nodes_.at(static_cast<std::size_t>(number) - 1);
  if (by.now == node::condition::gone) return fate::away;
  auto made = fate::done;
  if (stormy_) {
    if (database_away_ || cut_off_ == number) return fate::away;
    for (std::size_t kind = 1; kind <= call_rates_.size() && made == fate::done; ++kind)
      if (dice_.one_in(call_rates_[kind - 1])) made = static_cast<fate>(kind);
  }
  if (made == fate::crash || made == fate::crash_after_commit) ++planned_deaths_["keeper"];
  if (made != fate::done) {
    static constexpr const char* kinds[] = {"",
                                            "call_away",
                                            "call_busy",
                                            "commit_lost_done",
                                            "commit_lost",
                                            "keeper_crash",
                                            "keeper_crash_after"};
    fault(kinds[static_cast<std::size_t>(made)]);
    note(kinds[static_cast<std::size_t>(made)], name);
  }
  return made;
}

bool world::row_held(const delivery_key& key) {
  if (!stormy_ || !dice_.one_in(row_rate_)) return false;
  fault("row_held");
  note("row_held", key.event.text);
  return true;
}

void world::settling(const std::vector<storage::settlement>& asked) {
  oracle_.settling(asked);
  for (const auto& one : asked)
    note(spelled(one.decided.next), one.key.event.text);
}

void world::changed(int, std::string_view name) {
  note(name);
  oracle_.after_call(name, now_);
}

// Every death the product logs must have been planned here, or be the consequence of one.
void world::logged(std::string_view event, std::initializer_list<log::field> fields) {
  std::string actor, reason;
  for (const auto& one : fields) {
    if (one.text.rfind("actor=", 0) == 0) actor = one.text.substr(6);
    if (one.text.rfind("reason=", 0) == 0) reason = one.text.substr(7);
  }
  note(event, actor);
  if (event != "actor_died"
      || (running_ > 0
          && nodes_[static_cast<std::size_t>(running_) - 1]->now == node::condition::gone))
    return;
  auto kind = actor.substr(0, actor.find('/'));
  if (kind == "accept_keeper") kind = "keeper";
  auto& planned = planned_deaths_[kind];
  const bool poisoned = kind == "delivery" && !poison_.empty();
  if (planned == 0 && !poisoned)
    oracle_.violated("P9", {}, "an actor died by itself: " + actor + " (" + reason + ")");
  if (planned > 0) --planned;
}

// -- the course of things -------------------------------------------------------------------

bool world::anybody_can_run() const {
  return std::any_of(nodes_.begin(), nodes_.end(), [this](const auto& one) {
    return one->now == node::condition::up && one->has_job(now_);
  });
}

void world::advance() {
  const auto runs = [this](int number) {
    return nodes_[static_cast<std::size_t>(number) - 1]->now != node::condition::frozen;
  };
  auto next = std::min(provider_.next_due(runs), agenda_.empty() ? never : agenda_.begin()->first);
  for (const auto& one : nodes_)
    if (one->now == node::condition::up) {
      next = std::min(next, one->next_timer());
      for (const auto& [id, until] : one->held)
        if (until > now_) next = std::min(next, until);
    }
  if (next == never) next = now_ + 1s;
  now_ = std::max(now_ + moment{1}, next);
  if (stormy_ && dice_.one_in(8)) now_ += moment{dice_.between(0, 400'000)}; // a busy machine
  for (const auto& one : nodes_)
    if (one->now == node::condition::up) one->follow(now_);
  while (!agenda_.empty() && agenda_.begin()->first <= now_) {
    const auto what = std::move(agenda_.begin()->second);
    agenda_.erase(agenda_.begin());
    what();
  }
  provider_.go_on(runs);
}

void world::step() {
  ++report_.steps;
  if (stormy_ && !plan_.empty() && dice_.one_in(24)) {
    const auto what = std::move(plan_.front());
    plan_.pop_front();
    what();
  } else if (anybody_can_run() && !(stormy_ && dice_.one_in(64))) {
    std::vector<node*> ready;
    for (const auto& one : nodes_)
      if (one->now == node::condition::up && one->has_job(now_)) ready.push_back(one.get());
    auto& one = *dice_.pick(ready);
    running_ = one.number();
    hash_.mix(static_cast<std::uint64_t>(running_));
    hash_.mix(one.run_job(now_, dice_));
    running_ = 0;
  } else {
    advance();
  }
  bury_the_collapsed();
}

void world::storm() {
  while ((!plan_.empty() || now_ < 10s) && now_ < storm_max && oracle_.violation.empty())
    step();
}

bool world::is_quiet() const {
  if (provider_.open_count() > 0) return false;
  for (const auto& one : operations_)
    if (one.open) return false;
  return std::all_of(store_.deliveries.begin(), store_.deliveries.end(), [](const auto& one) {
    const auto& row = one.second;
    return is_final(row.now)
           || (row.now == state::in_doubt && row.next_attempt_at == never
               && (!row.gives_up_at || !row.stop_reason.empty()));
  });
}

// Nothing goes wrong any more: everything must come to an end by itself.
void world::calm() {
  note("calm");
  stormy_ = false;
  plan_.clear();
  provider_.mood = provider_mood::well;
  provider_.rates = {};
  for (const auto& one : nodes_)
    one->held.clear();
  const auto end = now_ + calm_max;
  while (!is_quiet() && now_ < end && oracle_.violation.empty()) {
    if (some_node() == nullptr) start_node();
    step();
  }
}

// Everything has ended: is what was promised kept, does everybody leave, does a stop leave nothing?
void world::finish() {
  oracle_.at_the_end(provider_);
  const auto end = now_ + 60s; // dispatchers retire, frozen nodes thaw
  const auto staff = [&](const node& one) { return 6 + one.house->settings.work_keepers; };
  const auto all_retired = [&] {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& one) {
      return one->now == node::condition::gone
             || (one->now == node::condition::up && one->actors() <= staff(*one));
    });
  };
  while (!all_retired() && now_ < end && oracle_.violation.empty())
    step();
  if (!all_retired())
    oracle_.violated("P9", {}, "somebody stays though there is no work: " + who_stays());
  for (std::size_t i = 0; i < nodes_.size() && oracle_.violation.empty(); ++i)
    if (nodes_[i]->now == node::condition::up) stop_node(*nodes_[i], true);
  const auto stopped = now_ + 60s;
  while (some_node() != nullptr && now_ < stopped && oracle_.violation.empty())
    step();
  if (some_node() != nullptr) oracle_.violated("I20", {}, "an orderly stop never ended");
}

world_report world::run() {
  choose_plan();
  start_node();
  start_node();
  storm();
  if (oracle_.violation.empty()) calm();
  if (oracle_.violation.empty()) finish();
  report_.hash = hash_.value();
  report_.lasted = now_;
  stormy_ = true;
  for (const auto& one : nodes_) {
    one->now = node::condition::gone;
    running_ = one->number();
    if (!one->end_all()) {
      std::cerr << "seed " << report_.seed << ": actors live on after their end\n";
      std::abort(); // an actor system with living actors cannot be left
    }
  }
  report_.violation = oracle_.violation;
  return report_;
}

world_report run_world(std::uint64_t seed, const world_options& options) {
  world one{seed, options};
  return one.run();
}

} // namespace arauto::simulation
