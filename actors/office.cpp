#include "actors/office.hpp"

#include <algorithm>
#include <future>
#include <mutex>

#include "actors/house.hpp"
#include "actors/protocol.hpp"
#include "actors/supervisor.hpp"
#include "storage/log.hpp"
#include "storage/model/chance.hpp"
#include "storage/model/uuid.hpp"
#include "storage/nodes.hpp"

namespace arauto {

namespace {

struct office_config : caf::actor_system_config {
  explicit office_config(const office_settings& rules) {
    add_message_types<caf::id_block::arauto>();
    add_error_category(caf::atom("arauto"),
                       [](std::uint8_t code, caf::atom_value, const caf::message&) {
                         return to_string(static_cast<errc>(code));
                       });
    // Work stealing polls, 2 % of a core while nothing happens; few threads lose nothing by
    // sharing.
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", rules.scheduler_threads);
    set("scheduler.max-throughput", std::size_t{50}); // one busy actor must not hold the others up
  }
};

constexpr std::size_t piece_max = 100; // of a list, in the front at once

// What an actor's error means to the asker of the office.
errc code_of(const caf::error& why) {
  if (why.category() == caf::atom("arauto")) return static_cast<errc>(why.code());
  return errc::unavailable; // dead or dying, or no answer in time: the same operation may be sent
                            // again
}

// Nothing of a piece could be accepted: the next would wait as long for the same.
template <class Answer>
bool is_in_vain(Answer first, Answer last) {
  return std::all_of(first, last, [](const auto& one) {
    return one.error() == errc::unavailable || one.error() == errc::stopping;
  });
}

} // namespace

struct office::inside {
  house_ptr house;
  office_config config;
  caf::actor_system system;
  supervisor_actor boss;
  std::mutex mutex;
  front_actor front;
  bool waits_for_front = true;
  std::promise<void> front_is_there;
  bool stopped = false;

  inside(house_ptr given, const office_settings& rules)
      : house{std::move(given)}, config{rules}, system{config} {}

  front_actor current_front() {
    const std::lock_guard lock{mutex};
    return front;
  }
};

office::office(const office_settings& settings, account_means accounts,
               std::shared_ptr<prometheus::Registry> metrics, std::function<void()> on_collapse) {
  const node_id self{uuid_v7(std::chrono::system_clock::now(), random_bytes_10())};
  auto home = std::make_shared<house>(settings, self, std::move(accounts), std::move(metrics),
                                      std::move(on_collapse));
  inside_ = std::make_unique<inside>(home, settings);
  auto& in = *inside_;
  in.boss = in.system.spawn(supervisor, home, [&in](front_actor started) {
    const std::lock_guard lock{in.mutex};
    in.front = std::move(started);
    if (std::exchange(in.waits_for_front, false)) in.front_is_there.set_value();
  });
  in.front_is_there.get_future().wait();
}

office::~office() {
  stop(std::chrono::milliseconds{0});
}

result<accept_answer> office::submit(notification asked) {
  auto& in = *inside_;
  if (in.house->stopping) return errc::stopping;
  if (asked.id.text.empty())
    asked.id = {uuid_v7(std::chrono::system_clock::now(), random_bytes_10())};
  // Twice the patience of the front: it answers by itself, this is the net under it.
  const auto patience = 2 * in.house->settings.accept_patience;
  caf::scoped_actor self{in.system, true};
  result<accept_answer> answer{errc::unavailable};
  self->request(in.current_front(), patience, submit_notification{std::move(asked)})
      .receive([&](accept_answer& made) { answer = std::move(made); },
               [&](const caf::error& why) {
                 answer = failure{code_of(why), {}};
               });
  return answer;
}

std::vector<result<accept_answer>> office::submit_all(std::vector<notification> asked) {
  auto& in = *inside_;
  std::vector<result<accept_answer>> answers(asked.size(), result<accept_answer>{errc::stopping});
  const auto deadline = std::chrono::steady_clock::now() + 2 * in.house->settings.accept_patience;
  caf::scoped_actor self{in.system, true};
  for (std::size_t begin = 0; begin < asked.size() && !in.house->stopping; begin += piece_max) {
    const auto patience =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const auto before = answers.begin() + static_cast<std::ptrdiff_t>(begin);
    if (patience.count() <= 0 || (begin > 0 && is_in_vain(before - piece_max, before))) {
      const bool stops = begin > 0 && std::prev(before)->error() == errc::stopping;
      std::fill(before, answers.end(),
                result<accept_answer>{stops ? errc::stopping : errc::unavailable});
      break;
    }
    const auto end = std::min(begin + piece_max, asked.size());
    const auto front = in.current_front();
    const auto sent = [&](notification& one) {
      if (one.id.text.empty())
        one.id = {uuid_v7(std::chrono::system_clock::now(), random_bytes_10())};
      return self->request(front, patience, submit_notification{std::move(one)});
    };
    std::vector<decltype(sent(asked[begin]))> open;
    for (auto n = begin; n < end; ++n)
      open.push_back(sent(asked[n]));
    for (auto n = begin; n < end; ++n)
      open[n - begin].receive([&](accept_answer& made) { answers[n] = std::move(made); },
                              [&](const caf::error& why) {
                                answers[n] = failure{code_of(why), {}};
                              });
  }
  return answers;
}

void office::work_ready(const tenant_id& tenant) {
  for (auto via : inside_->house->served)
    caf::anon_send(inside_->boss, arauto::work_ready{tenant, via});
}

bool office::can_accept() const {
  return inside_->house->database_seen && !inside_->house->stopping;
}

void office::stop(std::chrono::milliseconds limit) {
  auto& in = *inside_;
  if (std::exchange(in.stopped, true)) return;
  in.house->stopping = true;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  {
    caf::scoped_actor self{in.system, true};
    self->request(in.boss, limit + std::chrono::milliseconds{500}, orderly_stop{limit})
        .receive([](drained) {}, [](const caf::error&) {});
    self->send_exit(in.boss, caf::exit_reason::user_shutdown);
  }
  for (const auto& door : in.house->accounts.doors())
    door->port->stop(deadline);
  in.boss = nullptr;
  {
    const std::lock_guard lock{in.mutex};
    in.front = nullptr;
  }
  in.system.await_all_actors_done();
  storage::session db{in.house->settings.database};
  if (!storage::leave(db, in.house->node)) log::warn("node_not_signed_off", {}); // an hour tells
}

} // namespace arauto
