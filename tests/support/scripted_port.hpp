// A provider that does as the test says, inside the process. It is for what cannot be provoked from
// outside: the answers of the actors to each verdict, to silence, and to a port that throws. Fault
// tests use real servers instead.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "actors/channels/port.hpp"

namespace arauto::tests {

class scripted_port : public channels::port {
public:
  // Decides about each message by its recipient; returning no verdict keeps it unanswered until
  // release().
  struct answer {
    bool silent = false;
    outcome said;
  };
  using script = std::function<answer(const channels::composed&, int times_seen)>;

  // What the test keeps in hand while the office owns the port.
  struct journal {
    std::mutex mutex;
    std::condition_variable changed;
    script how;
    std::vector<channels::composed> seen;
    std::map<delivery_key, int> times;
    std::vector<std::function<void(outcome)>> unanswered;
    std::string poison; // compose throws for this recipient
    std::size_t sends_max = 64;
    std::atomic<bool> broken{false}; // the courier that asks it anything throws

    bool wait_seen(std::size_t count, std::chrono::seconds patience = std::chrono::seconds{20});
    std::size_t count();
    void release(outcome said); // answers all that is unanswered
  };

  explicit scripted_port(std::shared_ptr<journal> kept) : journal_{std::move(kept)} {}

  result<channels::composed> compose(const message& what) const override;
  void send(channels::composed what, steady::time_point trusted_until,
            std::function<void(outcome)> answer) override;
  std::size_t sends_max() const override;
  void stop(steady::time_point) override {}

private:
  std::shared_ptr<journal> journal_;
};

outcome says(verdict said, int code = 250, const std::string& cause = "");

} // namespace arauto::tests
