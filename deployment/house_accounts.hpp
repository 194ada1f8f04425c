// The house's accounts at push providers, which tenants without their own use, and what every
// account needs besides: files and settings become the form that channels judge.
#pragma once

#include <vector>

#include "actors/channels/account.hpp"
#include "deployment/settings.hpp"
#include "storage/sealing.hpp"

namespace arauto::deployment {

struct push_account {
  provider via = provider::fcm;
  channels::account_form form;
};

// Trouble names the setting whose file or value cannot be used; never what stands in the file.
std::vector<push_account> house_push_accounts(const settings& from);

// The keys of secrets.key_file; where neither it nor a database is given, those of the `arauto dev`
// in the data directory, if there are any. Trouble says which line cannot be used and why.
storage::seal_ring read_seals(const settings& from);

channels::port_means push_means(const settings& from);

} // namespace arauto::deployment
