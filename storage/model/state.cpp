#include "storage/model/state.hpp"

#include <algorithm>

namespace arauto {

std::string_view aggregate_status(const std::vector<state>& deliveries, bool any_begun) {
  const auto has = [&](state s) {
    return std::find(deliveries.begin(), deliveries.end(), s) != deliveries.end();
  };
  if (deliveries.empty()) return "suppressed";
  const bool live = has(state::pending) || has(state::leased) || has(state::retry_wait);
  const bool any_final = std::any_of(deliveries.begin(), deliveries.end(), is_final);
  if (live) return any_begun || any_final || has(state::in_doubt) ? "in_progress" : "accepted";
  if (has(state::in_doubt)) return "in_doubt";
  const auto accepted = std::count(deliveries.begin(), deliveries.end(), state::provider_accepted);
  if (accepted == static_cast<std::ptrdiff_t>(deliveries.size())) return "completed";
  if (accepted > 0) return "partial";
  if (has(state::permanent_failure)) return "failed";
  if (has(state::cancelled)) return "cancelled";
  if (has(state::expired)) return "expired";
  return "suppressed";
}

} // namespace arauto
