#include "actors/meter.hpp"

namespace arauto {

namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry, const char* name,
                                                  const char* help) {
  return BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Counter& counter(prometheus::Registry& registry, const char* name, const char* help) {
  return counters(registry, name, help).Add({});
}

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

constexpr verdict all_verdicts[] = {
    verdict::accepted,  verdict::refused_for_now, verdict::refused, verdict::bad_address,
    verdict::not_begun, verdict::account_refused, verdict::unknown};

} // namespace

meter::meter(std::shared_ptr<prometheus::Registry> registry)
    : registry_{std::move(registry)},
      accepts_{counters(*registry_, "arauto_notifications_total",
                        "Notifications answered, by verdict.")},
      attempts_{counters(*registry_, "arauto_attempts_total",
                         "Attempts that ended, by what the provider said.")},
      settlements_{
          counters(*registry_, "arauto_settlements_total", "Deliveries settled, by state.")},
      statement_seconds_{BuildHistogram()
                             .Name("arauto_statement_seconds")
                             .Help("Time of one batched statement, by its name.")
                             .Register(*registry_)},
      statement_rows_{counters(*registry_, "arauto_statement_rows_total",
                               "Rows a statement gave, by its name.")},
      accept_group_{
          BuildHistogram()
              .Name("arauto_accept_group_size")
              .Help("Notifications committed by one transaction.")
              .Register(*registry_)
              .Add({}, prometheus::Histogram::BucketBoundaries{1, 2, 5, 10, 20, 50, 100, 200})},
      stale_{counter(*registry_, "arauto_stale_settlements_total",
                     "Results that came after their lease had gone.")},
      reaped_{counter(*registry_, "arauto_leases_reaped_total",
                      "Leases that ran out and were taken over.")},
      restarts_{counter(*registry_, "arauto_actor_restarts_total",
                        "Actors that crashed and were started again.")},
      in_flight_{gauge(*registry_, "arauto_deliveries_in_flight",
                       "Deliveries leased to this node's actors.")},
      slots_waiting_{
          gauge(*registry_, "arauto_slots_waiting", "Deliveries waiting for a courier's slot.")},
      doubts_{BuildGauge()
                  .Name("arauto_in_doubt")
                  .Help("Deliveries in doubt in the whole cluster, of 10000 at most; held: only "
                        "evidence or a person will move them.")
                  .Register(*registry_)},
      doubts_waiting_{doubts_.Add({{"held", "false"}})},
      doubts_held_{doubts_.Add({{"held", "true"}})},
      notices_{
          counter(*registry_, "arauto_notices_total",
                  "Commits of the SQL door that were heard; equal ones of one moment are one.")},
      listens_{counter(*registry_, "arauto_porter_connections_total",
                       "Times the porter began to listen: once, and again after each loss.")},
      notification_queue_{gauge(*registry_, "arauto_notification_queue_used",
                                "How full PostgreSQL's notification queue is, 0 to 1. It grows "
                                "while any listener of the server sits in an open transaction.")} {
  auto& paused = BuildGauge()
                     .Name("arauto_account_paused")
                     .Help("Accounts of this provider that are left alone; the log says which.")
                     .Register(*registry_);
  for (auto via : all_providers)
    paused_gauges_[via] = &paused.Add({{"provider", std::string{spelled(via)}}});
  for (auto verdict : all_acceptances)
    accept_counters_[verdict] = &accepts_.Add({{"verdict", std::string{spelled(verdict)}}});
  for (auto said : all_verdicts)
    attempt_counters_[said] = &attempts_.Add({{"outcome", std::string{spelled(said)}}});
  for (auto now : all_states)
    settle_counters_[now] = &settlements_.Add({{"state", to_string(now)}});
}

void meter::accepted(acceptance verdict) {
  accept_counters_.at(verdict)->Increment();
}

void meter::accept_group(std::size_t notifications) {
  accept_group_.Observe(static_cast<double>(notifications));
}

void meter::attempted(verdict said) {
  attempt_counters_.at(said)->Increment();
}

void meter::settled(state now) {
  settle_counters_.at(now)->Increment();
}

void meter::statement(const char* name, std::chrono::nanoseconds took, std::size_t rows) {
  statement_numbers numbers{};
  {
    const std::lock_guard lock{mutex_};
    auto found = statements_.find(name);
    if (found == statements_.end()) {
      const prometheus::Histogram::BucketBoundaries seconds{
          0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5};
      found =
          statements_
              .emplace(name,
                       statement_numbers{&statement_seconds_.Add({{"statement", name}}, seconds),
                                         &statement_rows_.Add({{"statement", name}})})
              .first;
    }
    numbers = found->second;
  }
  numbers.seconds->Observe(std::chrono::duration<double>(took).count());
  numbers.rows->Increment(static_cast<double>(rows));
}

} // namespace arauto
