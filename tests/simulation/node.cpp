#include "tests/simulation/node.hpp"

#include <cmath>

#include "actors/supervisor.hpp"

namespace arauto::simulation {

namespace {

struct testing_config : caf::actor_system_config {
  testing_config() {
    add_message_types<caf::id_block::arauto>();
    set("scheduler.policy", caf::atom("testing"));
  }
};

caf::actor_id id_of(caf::resumable* job) {
  const auto* actor = dynamic_cast<caf::scheduled_actor*>(job);
  return actor == nullptr ? caf::actor_id{0} : actor->id();
}

} // namespace

node::node(birth born, const office_settings& rules, provider& behind, dice& chance,
           std::shared_ptr<prometheus::Registry> metrics, std::string poison)
    : born_{born}, config_{std::make_unique<testing_config>()} {
  auto own = rules;
  own.database.url = std::to_string(born.number);
  port->poison = std::move(poison);
  house = std::make_shared<arauto::house>(
      own, node_id{"node-" + std::to_string(born.number)},
      all_through(std::make_shared<simulated_port>(born.number, behind, port)), std::move(metrics),
      [this] { collapsed = true; });
  house->served = {channel::email}; // all is e-mail here
  house->chance = [&chance] { return chance.real(); };
  system_ = std::make_unique<caf::actor_system>(*config_);
  follow(born.at);
  boss = system_->spawn(supervisor, house,
                        [this](front_actor started) { front = std::move(started); });
}

node::~node() = default;

caf::scheduler::test_coordinator& node::jobs() const {
  return static_cast<caf::scheduler::test_coordinator&>(system_->scheduler());
}

std::size_t node::actors() const {
  return system_->registry().running();
}

node::steady::time_point node::clock() const {
  return jobs().clock().now();
}

void node::follow(moment world) {
  const auto lived = std::chrono::nanoseconds{world - born_.at};
  const auto local = born_.clock_offset
                     + std::chrono::nanoseconds{
                         std::llround(static_cast<double>(lived.count()) * born_.clock_rate)};
  const auto behind = local - clock().time_since_epoch();
  if (behind.count() > 0) jobs().advance_time(behind);
}

moment node::next_timer() const {
  const auto& timers = jobs().clock().schedule();
  if (timers.empty()) return never;
  const auto local = timers.begin()->first.time_since_epoch() - born_.clock_offset;
  const auto lived = static_cast<double>(local.count()) / born_.clock_rate;
  return born_.at + moment{static_cast<std::int64_t>(lived / 1'000.0) + 1};
}

bool node::is_held(caf::resumable* job, moment world) const {
  const auto found = held.find(id_of(job));
  return found != held.end() && found->second > world;
}

bool node::has_job(moment world) const {
  const auto& all = jobs().jobs;
  if (held.empty()) return !all.empty();
  return std::any_of(all.begin(), all.end(), [&](auto* job) { return !is_held(job, world); });
}

caf::actor_id node::run_job(moment world, dice& chance) {
  auto& all = jobs().jobs;
  // Half of the time in the order of arrival, else anybody's turn.
  auto at = chance.one_in(2) ? std::size_t{0} : static_cast<std::size_t>(chance.below(all.size()));
  while (is_held(all[at], world))
    at = (at + 1) % all.size();
  std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at),
              all.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  const auto who = id_of(all.front());
  jobs().run_once();
  return who;
}

bool node::end_all() {
  house->stopping = true;
  house->on_collapse = [] {};
  caf::anon_send_exit(boss, caf::exit_reason::user_shutdown);
  boss = nullptr;
  jobs().run();
  front = nullptr;
  for (int again = 0; again < 20 && actors() > 0; ++again) {
    jobs().advance_time(house->settings.lease);
    jobs().run();
  }
  return actors() == 0;
}

} // namespace arauto::simulation
