// The simulated provider and the port in front of it. A conversation has the real one's moments:
// the first byte of content, the final dot, the answer; between them time passes, nodes freeze and
// die, and the port looks at its clock where the real port does. What the provider took is its
// journal, which the invariants join with the store.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "actors/channels/port.hpp"
#include "tests/simulation/chance.hpp"
#include "tests/simulation/store.hpp"

namespace arauto::simulation {

// How it behaves for now.
enum class provider_mood : std::uint8_t { well, unreachable, refuses_account, overloaded };

struct provider_rates {          // one in so many; 0: never
  std::uint64_t slow = 0;        // a step of the conversation takes as long as a lease
  std::uint64_t lost_answer = 0; // taken, and nobody is told
  std::uint64_t lost_before = 0; // lost before the final dot was taken, and nobody knows
  std::uint64_t refused = 0, refused_for_now = 0, bad_address = 0;
};

class provider {
public:
  using steady = std::chrono::steady_clock;
  struct conversation {
    int node = 0;
    delivery_key key;
    enum class step { waiting, in_content, answered } at = step::waiting;
    moment due{0};
    steady::time_point trusted_until;
    outcome said;
    std::function<void(outcome)> answer;
  };

  // What it needs of the world.
  struct surroundings {
    std::function<moment()> now;
    std::function<steady::time_point(int node)> clock_of;
    std::function<void(int node, const delivery_key&)> begins; // the first byte of content leaves
    std::function<void(const char* what, const delivery_key&)> noted;
  };

  provider(surroundings around, dice& chance) : around_{std::move(around)}, chance_{chance} {}

  provider_mood mood = provider_mood::well;
  provider_rates rates;

  void open(int node, const channels::composed& what, steady::time_point trusted_until,
            std::function<void(outcome)> answer);
  using node_filter = std::function<bool(int node)>; // false: frozen
  moment next_due(const node_filter& runs) const;    // never: nothing is open
  void go_on(const node_filter& runs); // takes the next step of everything that is due
  // The node is gone: what had left it may still be taken.
  void node_died(int node);
  std::size_t open_count() const { return open_.size(); }

  std::map<delivery_key, int> begun, taken; // the journal

private:
  void step(conversation& one);
  void end_content(conversation& one);
  void take(const delivery_key& key);
  void later(conversation& one, conversation::step next);
  void answer_later(conversation& one, verdict said, const char* cause);

  surroundings around_;
  dice& chance_;
  std::vector<conversation> open_;
};

// The port of one node. May be told to throw, once, where a port must not.
class simulated_port : public channels::port {
public:
  struct switches {
    bool compose_throws = false, send_throws = false;
    std::string poison; // compose always throws for this address
  };
  simulated_port(int node, provider& behind, std::shared_ptr<switches> planned)
      : node_{node}, behind_{behind}, planned_{std::move(planned)} {}

  result<channels::composed> compose(const message& what) const override;
  void send(channels::composed what, steady::time_point trusted_until,
            std::function<void(outcome)> answer) override;
  std::size_t sends_max() const override { return 3; }
  void stop(steady::time_point) override {}

private:
  int node_;
  provider& behind_;
  std::shared_ptr<switches> planned_;
};

} // namespace arauto::simulation
