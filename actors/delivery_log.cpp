#include "actors/delivery.hpp"
#include "storage/log.hpp"

namespace arauto {

void log_settled(const delivery_memory& s, const storage::settlement& what,
                 const storage::settled& answer) {
  log::info("attempt_settled", {{"tenant", s.held.tenant.text},
                                {"event_id", s.held.key.event.text},
                                {"channel", spelled(s.held.key.via)},
                                {"lease_token", s.held.held.number},
                                {"attempt", s.facts.attempts},
                                {"outcome", spelled(what.what.said)},
                                {"code", what.what.code},
                                {"state", spelled(answer.now)},
                                {"cause", what.decided.cause},
                                {"stale", answer.ours ? 0 : 1}});
}

void log_crash(const storage::lease& held, const caf::error& reason, std::size_t restarts) {
  log::error("actor_died", {{"actor", "delivery"},
                            {"tenant", held.tenant.text},
                            {"event_id", held.key.event.text},
                            {"channel", spelled(held.key.via)},
                            {"lease_token", held.held.number},
                            {"reason", reason == errc::crashed_in_send ? "crashed_in_send"
                                                                       : "crashed_before_send"},
                            {"restarts", restarts}});
}

} // namespace arauto
