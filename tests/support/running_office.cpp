#include "tests/support/running_office.hpp"

#include <boost/test/unit_test.hpp>

namespace arauto::tests {

running_office::running_office() {
  rules.database = settings();
  rules.lease = std::chrono::milliseconds{5'000};
  rules.lease_margin = std::chrono::milliseconds{1'000};
  rules.poll = std::chrono::milliseconds{100};
  rules.retry = {std::chrono::milliseconds{50}, std::chrono::milliseconds{100}, 4};
  rules.doubt = {doubt_rule::resend, std::chrono::milliseconds{50}};
}

running_office::~running_office() {
  if (!staff) return;
  provider->release(
      says(verdict::accepted)); // nobody must wait for a provider that will not answer
  staff->stop(std::chrono::milliseconds{5'000});
}

void running_office::open() {
  if (!means.open_port) means = all_through(std::make_shared<scripted_port>(provider));
  staff = std::make_unique<office>(rules, means, numbers, [this] { collapsed = true; });
}

accept_answer running_office::submit(const std::string& operation, const user_id& user) {
  auto asked = order_shipped(operation);
  asked.user = user;
  auto answer = staff->submit(asked);
  BOOST_REQUIRE_MESSAGE(answer, to_string(answer.error()));
  BOOST_REQUIRE(answer->verdict == acceptance::created);
  return *answer;
}

void running_office::wait_until(const std::string& what, const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  while (!holds()) {
    BOOST_REQUIRE_MESSAGE(std::chrono::steady_clock::now() < end, "never came: " + what);
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

void running_office::wait_for_state(const event_id& id, state wanted) {
  wait_until(id.text + " is " + to_string(wanted), [&] { return state_of(id) == wanted; });
}

int running_office::count_of(state wanted) {
  return std::stoi(
      value("select count(*) from arauto.delivery where state = '" + to_string(wanted) + "'"));
}

double running_office::metric(const std::string& name) {
  double sum = 0;
  for (const auto& family : numbers->Collect())
    if (family.name == name)
      for (const auto& one : family.metric)
        sum += one.counter.value + one.gauge.value;
  return sum;
}

} // namespace arauto::tests
