// One seed's world: nodes, a store, a provider, clients, and what goes wrong. The same seed makes
// the same world: every choice comes from one row of dice, and its trace has one hash.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/door.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/oracle.hpp"

namespace arauto::simulation {

struct world_options {
  bool without_fence = false; // the planted bug of the store
  bool told = false;          // print what happens
};

struct world_report {
  std::uint64_t seed = 0;
  std::uint64_t hash = 0;
  std::uint64_t steps = 0;
  moment lasted{0};
  std::string violation;                       // empty: none
  std::map<std::string, std::uint64_t> faults; // injected, by kind
};

world_report run_world(std::uint64_t seed, const world_options& options = {});

class world : public door {
public:
  world(std::uint64_t seed, const world_options& options);
  ~world() override;
  world_report run();

  // -- door ---------------------------------------------------------------------

  fate of_call(int node, std::string_view name) override;
  store& rows() override { return store_; }
  bool row_held(const delivery_key& key) override;
  void settling(const std::vector<storage::settlement>& asked) override;
  void changed(int node, std::string_view name) override;
  void logged(std::string_view event, std::initializer_list<log::field> fields) override;

private:
  struct operation { // one thing a client wants, however often it has to ask
    notification asked;
    event_id acknowledged; // empty: not yet
    int tries = 0;
    bool open = false; // an answer may still come
    std::uint64_t newest = 0;
  };

  // -- the course of things (world.cpp) ---------------------------------------------

  void step();
  void advance();
  void at(moment when, std::function<void()> what);
  void storm();
  void calm();
  void finish();
  bool is_quiet() const;
  bool anybody_can_run() const;
  void note(std::string_view what, std::string_view about = {});
  void fault(const std::string& kind) { ++report_.faults[kind]; }
  moment soon(std::int64_t ms_max) { return now_ + moment{1'000 * dice_.between(1, ms_max)}; }

  // -- nodes (world_nodes.cpp) --------------------------------------------------------

  void start_node();
  node* some_node(); // that is up; none: nullptr
  void bury_node(node& one, const char* how);
  void freeze_node();
  void kill_node();
  void stop_node(node& one, bool must_be_clean);
  void crash_somebody();
  void hold_somebody();
  void bury_the_collapsed();
  std::string who_stays();

  // -- clients (world_people.cpp) -------------------------------------------------------

  void choose_plan();
  void submit_new();
  void submit_again();
  void submit(std::size_t which);
  void answered(std::size_t which, std::uint64_t question, const accept_answer* answer);
  void accept_by_other_door();
  void cancel();
  void change_mind();
  void erase();
  void stray_hint();
  void decide_as_person();
  void database_outage();
  void provider_outage();
  void stop_somebody();

  world_options options_;
  world_report report_;
  dice dice_;
  trace_hash hash_;
  moment now_{0};
  store store_;
  provider provider_;
  oracle oracle_;
  office_settings rules_;
  std::shared_ptr<prometheus::Registry> metrics_;
  std::vector<std::unique_ptr<node>> nodes_; // all that ever were
  std::multimap<moment, std::function<void()>> agenda_;
  std::deque<std::function<void()>> plan_; // what is still to happen, at some step
  std::vector<operation> operations_;
  std::map<std::string, int> planned_deaths_; // by the actor's name in the log
  std::string poison_;
  bool stormy_ = true;
  bool database_away_ = false;
  int cut_off_ = 0; // a node that alone cannot reach the database; 0: none
  std::array<std::uint64_t, 6> call_rates_{}; // one in so many, by fate
  std::uint64_t row_rate_ = 0;                // one row in so many is locked by somebody else
  std::uint64_t questions_ = 0, event_ids_ = 0;
  int running_ = 0; // the node whose job runs
};

} // namespace arauto::simulation
