// A keeper owns one database connection and everything that waits for it. Detached: it blocks on
// the database, and while it does, the next batch collects in its mailbox. It decides nothing about
// deliveries.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "actors/house.hpp"
#include "actors/protocol.hpp"
#include "storage/session.hpp"

namespace arauto {

// Questions of one kind and who asked them.
template <class Item, class Answer>
struct waiting_list {
  std::vector<Item> items;
  std::vector<caf::typed_response_promise<Answer>> askers;

  caf::typed_response_promise<Answer> add(Item item, caf::typed_response_promise<Answer> asker) {
    items.push_back(std::move(item));
    askers.push_back(asker);
    return asker;
  }
  waiting_list taken() { return std::exchange(*this, {}); }
};

struct keeper_memory {
  static inline const char* name = "keeper";
  house_ptr house;
  std::unique_ptr<storage::session> db;
  waiting_list<storage::permit_question, storage::permit> permits;
  waiting_list<storage::settlement, storage::settled> settlements;
  std::vector<storage::targets_note> notes;
  waiting_list<storage::room, claimed> rooms;
  waiting_list<std::vector<storage::held_delivery>, leases_lost> renewals;
  bool flush_asked = false;
  bool retry_asked = false;
};

keeper_actor::behavior_type keeper(keeper_actor::stateful_pointer<keeper_memory> self,
                                   house_ptr house);

} // namespace arauto
