// What a node needs to know of accounts at providers when it starts: those of the house, the keys
// that open the tenants' secrets, and how a port is made of an account.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "actors/channels/port.hpp"
#include "storage/accounts.hpp"

namespace arauto {

struct account_means {
  // At most one for each provider: for tenants that have none of their own.
  std::vector<storage::account_contents> of_house;
  storage::seal_ring seals;
  // Called by the registrar on its own thread, at each opening: a port ends with the courier it was
  // made for. bad_input: the account cannot be used as it is.
  std::function<result<std::shared_ptr<channels::port>>(const storage::account_contents&)>
      open_port;
};

// house/smtp, acme/fcm/app: for logs and people.
std::string name_of(const storage::account_place& place);

// An account of the house.
storage::account_contents house_account(provider via);

// The house's accounts all lead to this one port: for development, and for tests. It ends with the
// last that holds it, not with an account.
account_means all_through(std::shared_ptr<channels::port> port);

} // namespace arauto
