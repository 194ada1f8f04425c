// The numbers of this node. Names and labels are bounded: no tenant, no id, no address.
// Thread-safe; references are kept because looking a label up costs more than counting.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "storage/model/event.hpp"
#include "storage/model/outcome.hpp"
#include "storage/model/provider.hpp"
#include "storage/model/state.hpp"

namespace arauto {

class meter {
public:
  static constexpr int in_doubt_max = 10'000; // counted together; beyond, the gauges stand still

  explicit meter(std::shared_ptr<prometheus::Registry> registry);

  void accepted(acceptance verdict);
  void accept_group(std::size_t notifications);
  void attempted(verdict said);
  void settled(state now);
  void stale_settlement() { stale_.Increment(); }
  void reaped(std::size_t leases) { reaped_.Increment(static_cast<double>(leases)); }
  void restarted() { restarts_.Increment(); }
  void in_flight(double change) { in_flight_.Increment(change); }
  void slots_waiting(double change) { slots_waiting_.Increment(change); }
  void account_paused(provider via, double change) { paused_gauges_.at(via)->Increment(change); }
  void in_doubt(int deliveries, int held) {
    doubts_waiting_.Set(deliveries - held);
    doubts_held_.Set(held);
  }
  void noticed(std::size_t notices) { notices_.Increment(static_cast<double>(notices)); }
  void listening_anew() { listens_.Increment(); }
  void notification_queue(double used) { notification_queue_.Set(used); }
  // Called by every session, from its thread.
  void statement(const char* name, std::chrono::nanoseconds took, std::size_t rows);

private:
  struct statement_numbers {
    prometheus::Histogram* seconds;
    prometheus::Counter* rows;
  };

  std::shared_ptr<prometheus::Registry> registry_;
  prometheus::Family<prometheus::Counter>& accepts_;
  prometheus::Family<prometheus::Counter>& attempts_;
  prometheus::Family<prometheus::Counter>& settlements_;
  prometheus::Family<prometheus::Histogram>& statement_seconds_;
  prometheus::Family<prometheus::Counter>& statement_rows_;
  std::map<acceptance, prometheus::Counter*> accept_counters_;
  std::map<verdict, prometheus::Counter*> attempt_counters_;
  std::map<state, prometheus::Counter*> settle_counters_;
  prometheus::Histogram& accept_group_;
  prometheus::Counter& stale_;
  prometheus::Counter& reaped_;
  prometheus::Counter& restarts_;
  prometheus::Gauge& in_flight_;
  prometheus::Gauge& slots_waiting_;
  std::map<provider, prometheus::Gauge*> paused_gauges_;
  prometheus::Family<prometheus::Gauge>& doubts_;
  prometheus::Gauge& doubts_waiting_;
  prometheus::Gauge& doubts_held_;
  prometheus::Counter& notices_;
  prometheus::Counter& listens_;
  prometheus::Gauge& notification_queue_;
  std::mutex mutex_;
  std::map<std::string, statement_numbers> statements_;
};

} // namespace arauto
