// Who is next for a slot: tenants take turns, urgent before normal, but every fourth turn is a
// normal one's; one tenant's thousand waiting deliveries never put another's first one behind them.
// Cost per step does not grow with what waits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "storage/model/ids.hpp"

namespace arauto {

template <class Item>
class fair_queue {
public:
  void push(const tenant_id& tenant, priority urgency, Item item) {
    auto& lane = lanes_[index(urgency)];
    auto& waiting = lane.waiting[tenant];
    if (waiting.empty()) lane.turns.push_back(tenant);
    waiting.push_back(std::move(item));
    ++size_;
  }

  std::optional<Item> pop() {
    const bool normals_turn = ++pops_ % normal_every == 0;
    auto& first = lanes_[normals_turn ? 1 : 0];
    auto& second = lanes_[normals_turn ? 0 : 1];
    if (!first.turns.empty()) return pop_from(first);
    if (!second.turns.empty()) return pop_from(second);
    return std::nullopt;
  }

  // Takes out what matches, wherever it waits; for the rare withdrawal.
  template <class Matches>
  bool remove(const tenant_id& tenant, Matches matches) {
    for (auto& lane : lanes_) {
      const auto found = lane.waiting.find(tenant);
      if (found == lane.waiting.end()) continue;
      auto& items = found->second;
      const auto item = std::find_if(items.begin(), items.end(), matches);
      if (item == items.end()) continue;
      items.erase(item);
      --size_;
      if (items.empty()) forget(lane, tenant);
      return true;
    }
    return false;
  }

  std::size_t size() const { return size_; }

private:
  struct lane {
    std::deque<tenant_id> turns; // each waiting tenant once
    std::map<tenant_id, std::deque<Item>> waiting;
  };

  static std::size_t index(priority urgency) { return urgency == priority::urgent ? 0 : 1; }

  Item pop_from(lane& from) {
    const auto tenant = from.turns.front();
    from.turns.pop_front();
    auto& items = from.waiting[tenant];
    auto item = std::move(items.front());
    items.pop_front();
    --size_;
    if (items.empty())
      from.waiting.erase(tenant);
    else
      from.turns.push_back(tenant);
    return item;
  }

  void forget(lane& where, const tenant_id& tenant) {
    where.waiting.erase(tenant);
    where.turns.erase(std::remove(where.turns.begin(), where.turns.end(), tenant),
                      where.turns.end());
  }

  static constexpr std::size_t normal_every = 4; // a flood of urgent ones must not starve the rest
  std::array<lane, 2> lanes_;                    // urgent, normal
  std::size_t pops_ = 0;
  std::size_t size_ = 0;
};

} // namespace arauto
