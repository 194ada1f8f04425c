// One node of the world: the product's supervisor with everything under it, in an actor system
// whose jobs run when the world says so and whose clock is the world's, seen from this machine
// (another epoch, a little faster or slower).
#pragma once

#include <map>
#include <memory>

#include <caf/scheduler/test_coordinator.hpp>

#include "actors/house.hpp"
#include "actors/protocol.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/provider.hpp"

namespace arauto::simulation {

class node {
public:
  enum class condition : std::uint8_t { up, frozen, gone };
  using steady = std::chrono::steady_clock;

  struct birth {
    int number = 0;
    moment at{0};
    std::chrono::nanoseconds clock_offset{0};
    double clock_rate = 1.0;
  };

  node(birth born, const office_settings& rules, provider& behind, dice& chance,
       std::shared_ptr<prometheus::Registry> metrics, std::string poison);
  ~node(); // the actors must have ended: end_all()
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  condition now = condition::up;
  house_ptr house;
  front_actor front; // the standing one
  supervisor_actor boss;
  std::shared_ptr<simulated_port::switches> port = std::make_shared<simulated_port::switches>();
  std::map<caf::actor_id, moment> held; // actors whose next step waits until then
  bool collapsed = false;

  int number() const { return born_.number; }
  caf::actor_system& system() { return *system_; }
  std::size_t actors() const; // that live
  steady::time_point clock() const;

  void follow(moment world); // lets this machine's clock and timers come up to the world's
  moment next_timer() const; // of the world; never: none
  bool has_job(moment world) const;
  // Runs one message of one actor that is not held, chosen by chance; gives the actor's id.
  caf::actor_id run_job(moment world, dice& chance);
  // Ends every actor; to be called when nothing of what it does can be seen any more. False: some
  // live on.
  bool end_all();

private:
  caf::scheduler::test_coordinator& jobs() const;
  bool is_held(caf::resumable* job, moment world) const;

  birth born_;
  std::unique_ptr<caf::actor_system_config> config_;
  std::unique_ptr<caf::actor_system> system_;
};

} // namespace arauto::simulation
