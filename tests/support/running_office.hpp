// An office on a database of its own, with a provider that does as the test says.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "actors/office.hpp"
#include "tests/support/ledger.hpp"
#include "tests/support/scripted_port.hpp"

namespace arauto::tests {

struct running_office : ledger {
  running_office();
  ~running_office();

  void open(); // with what `rules` and `provider` say by then
  office_settings rules;
  std::shared_ptr<scripted_port::journal> provider = std::make_shared<scripted_port::journal>();
  account_means means; // unless a test says so: every account of the house leads to `provider`
  std::shared_ptr<prometheus::Registry> numbers = std::make_shared<prometheus::Registry>();
  std::unique_ptr<office> staff;
  std::atomic<bool> collapsed{false};

  accept_answer submit(const std::string& operation, const user_id& user = ana);
  // Waits for a named condition, looking at the database; says which when it never came.
  void wait_until(const std::string& what, const std::function<bool()>& holds);
  void wait_for_state(const event_id& id, state wanted);
  int count_of(state wanted);
  double metric(const std::string& name); // of the only series, or the sum of all
};

} // namespace arauto::tests
