// What every actor of a node is given at birth: the rules, the accounts, the numbers. Fixed once
// made, except the book of accounts and the two flags.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <caf/all.hpp>

#include "actors/account_book.hpp"
#include "actors/meter.hpp"
#include "actors/settings.hpp"
#include "storage/model/chance.hpp"
#include "storage/model/ids.hpp"

namespace arauto {

struct house {
  office_settings settings;
  node_id node;
  account_means means;
  account_book accounts;
  meter numbers;
  std::vector<channel> served{channel::email, channel::push};
  std::function<void()> on_collapse;
  std::function<double()> chance = random01; // time comes from the actors' own clock

  std::atomic<bool> database_seen{true}; // the last statement of a keeper got through
  std::atomic<bool> stopping{false};

  house(office_settings rules, node_id self, account_means with,
        std::shared_ptr<prometheus::Registry> metrics, std::function<void()> collapse)
      : settings{std::move(rules)},
        node{std::move(self)},
        means{std::move(with)},
        numbers{std::move(metrics)},
        on_collapse{std::move(collapse)} {}
};

using house_ptr = std::shared_ptr<house>;

// CAF prints the text of an exception nobody handles, and that text may quote a message: say only
// that it happened.
template <class Self>
void keep_exceptions_quiet(Self* self) {
  self->set_exception_handler(
      [](std::exception_ptr&) { return caf::make_error(caf::sec::runtime_error); });
}

// An answer that says the asked one is dead, not what it thought.
inline bool is_gone(const caf::error& why) {
  return why.category() != caf::atom("arauto");
}

// Says something that needs no answer. It is still a request: the answer bounds what is open, and
// its loss hurts nobody.
template <class Self, class Whom, class Message>
void tell(Self* self, const Whom& whom, Message&& what) {
  self->request(whom, caf::infinite, std::forward<Message>(what))
      .then([] {}, [](const caf::error&) {});
}

inline caf::timespan since_epoch(std::chrono::steady_clock::time_point moment) {
  return std::chrono::duration_cast<caf::timespan>(moment.time_since_epoch());
}

inline std::chrono::steady_clock::time_point steady_moment(caf::timespan since_epoch) {
  return std::chrono::steady_clock::time_point{
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(since_epoch)};
}

} // namespace arauto
