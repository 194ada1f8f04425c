// What happens to nodes and to the actors on them.
#include "actors/dispatcher.hpp"
#include "actors/supervisor.hpp"
#include "tests/simulation/world.hpp"

namespace arauto::simulation {

namespace {

using namespace std::chrono_literals;

// An actor's memory, seen from outside: the world is single-threaded, so nobody else looks.
template <class Memory, class Handle>
Memory& memory_of(const Handle& handle) {
  using actor = caf::stateful_actor<Memory, typename Handle::base>;
  return static_cast<actor*>(caf::actor_cast<caf::abstract_actor*>(handle))->state;
}

// As an exception that nobody handled leaves it.
void die(const caf::actor& who) {
  caf::anon_send(who, caf::exit_msg{who.address(), caf::make_error(caf::sec::runtime_error)});
}

} // namespace

void world::start_node() {
  const auto number = static_cast<int>(nodes_.size()) + 1;
  note("start");
  node::birth born;
  born.number = number;
  born.at = now_;
  born.clock_offset = std::chrono::seconds{dice_.between(0, 1'000'000)};
  born.clock_rate = 1.0 + 0.02 * (dice_.real() - 0.5);
  nodes_.push_back(std::make_unique<node>(born, rules_, provider_, dice_, metrics_, poison_));
}

node* world::some_node() {
  std::vector<node*> up;
  for (const auto& one : nodes_)
    if (one->now != node::condition::gone) up.push_back(one.get());
  return up.empty() ? nullptr : dice_.pick(up);
}

// From now on nothing it does can be seen; its leases stay.
void world::bury_node(node& one, const char* how) {
  note(how, one.house->node.text);
  one.now = node::condition::gone;
  provider_.node_died(one.number());
  at(soon(3'000), [this] {
    if (stormy_) start_node();
  });
}

void world::bury_the_collapsed() {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i]->collapsed && nodes_[i]->now == node::condition::up) {
      fault("collapse");
      bury_node(*nodes_[i], "collapsed");
    }
}

void world::kill_node() {
  auto* one = some_node();
  if (one == nullptr) return;
  fault("node_killed");
  bury_node(*one, "killed");
}

void world::freeze_node() {
  auto* one = some_node();
  if (one == nullptr || one->now != node::condition::up) return;
  fault("node_frozen");
  note("frozen", one->house->node.text);
  one->now = node::condition::frozen;
  at(soon(15'000), [this, one] {
    if (one->now != node::condition::frozen) return;
    note("thawed", one->house->node.text);
    one->now = node::condition::up;
    one->follow(now_);
  });
}

// As office::stop: the flag, the command, then nobody is left.
void world::stop_node(node& one, bool must_be_clean) {
  note("orderly_stop", one.house->node.text);
  one.house->stopping = true;
  const auto limit = must_be_clean ? 30s : 3s;
  const auto ask = [this, &one, limit, must_be_clean](caf::event_based_actor* self,
                                                      const supervisor_actor& boss) {
    const auto ended = [this, &one, must_be_clean] {
      if (one.now == node::condition::gone) return;
      if (must_be_clean) oracle_.clean_stop(one.house->node);
      note("stopped", one.house->node.text);
      one.now = node::condition::gone;
      provider_.node_died(one.number());
    };
    self->request(boss, limit + 500ms, orderly_stop{limit})
        .then([ended](drained) { ended(); }, [ended](const caf::error&) { ended(); });
  };
  one.system().spawn(ask, one.boss);
}

// An exception at a message's edge, in one of the permanent staff or a dispatcher; or where a
// delivery and a courier meet the outside.
void world::crash_somebody() {
  auto* one = some_node();
  if (one == nullptr || one->house->stopping) return;
  auto& boss = memory_of<supervisor_memory>(one->boss);
  const auto which = dice_.below(5);
  if (which == 0) {
    one->port->compose_throws = true;
    ++planned_deaths_["delivery"];
    return fault("delivery_crash");
  }
  if (which == 1) {
    one->port->send_throws = true;
    ++planned_deaths_["courier"];
    return fault("courier_crash");
  }
  if (which == 2 && !boss.branches.empty()) {
    auto& branch = boss.branches.begin()->second;
    if (!branch.dispatcher) return;
    ++planned_deaths_["dispatcher"];
    die(caf::actor_cast<caf::actor>(branch.dispatcher));
    return fault("dispatcher_crash");
  }
  if (boss.posts.empty()) return; // it has not begun yet
  auto& post = dice_.pick(boss.posts);
  if (post.vacant) return;
  const auto holder = caf::actor_cast<caf::strong_actor_ptr>(post.holder);
  if (!holder) return;
  auto kind = post.name.substr(0, post.name.find('/'));
  if (kind == "accept_keeper") kind = "keeper";
  ++planned_deaths_[kind];
  die(caf::actor_cast<caf::actor>(holder));
  fault(kind + "_crash");
}

// For the report: what every dispatcher that is still there believes.
std::string world::who_stays() {
  std::string all;
  for (const auto& one : nodes_) {
    if (one->now == node::condition::gone) continue;
    all += one->house->node.text + ' ' + std::to_string(one->actors()) + " actors";
    for (const auto& [tenant, branch] : memory_of<supervisor_memory>(one->boss).branches) {
      if (!branch.dispatcher) continue;
      const auto& m = memory_of<dispatcher_memory>(branch.dispatcher);
      all += "; " + tenant.text + ' ' + std::to_string(m.deliveries.size()) + " deliveries "
             + std::to_string(m.idle_rounds) + " idle";
      for (const auto& [via, lane] : m.lanes)
        all += " room " + std::to_string(lane.room()) + " offered " + std::to_string(lane.offered())
               + (lane.claiming() ? " claiming" : "") + (lane.withdrawing() ? " withdrawing" : "")
               + (lane.more_waits() ? " more_waits" : "");
    }
    all += ". ";
  }
  return all;
}

// An answer or a question that takes long: one actor's next step waits.
void world::hold_somebody() {
  auto* one = some_node();
  if (one == nullptr) return;
  fault("actor_held");
  one->held[dice_.below(30)] = now_ + moment{1'000 * dice_.between(1, 7'000)};
}

} // namespace arauto::simulation
