// Which account a message goes through, and whether that is open here. Written by the registrar
// only, read by every delivery: a question to an actor for each message would cost more than the
// answer. Thread-safe; what it gives stays usable when it is written anew.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "actors/accounts.hpp"
#include "actors/protocol.hpp"

namespace arauto {

// An account that is open on this node: whom to ask for slots, and what composes for it.
struct account_door {
  storage::account_place place;
  std::string name; // name_of(place)
  std::shared_ptr<channels::port> port;
  courier_actor courier;
};
using door_ptr = std::shared_ptr<const account_door>;

class account_book {
public:
  // The tenant's own account for that outlet, else its own for the provider, else the house's.
  std::optional<storage::account_place> resolve(const tenant_id& tenant, const outlet& of) const;
  door_ptr door_of(const tenant_id& tenant, const outlet& of) const; // null: not open, or none
  door_ptr door_of(const std::string& account) const;                // by its id
  std::vector<door_ptr> doors() const;

  void write(const storage::account_place& place); // also a removal
  void open(door_ptr door);
  void close(const std::string& account);

private:
  const storage::account_place* found(const tenant_id& tenant, const outlet& of) const;

  mutable std::shared_mutex mutex_;
  std::map<tenant_id, std::map<outlet, storage::account_place>> own_;
  std::map<provider, storage::account_place> of_house_;
  std::map<std::string, door_ptr> doors_; // by account id
};

} // namespace arauto
