// Whether providers let us in from here: those of the settings, and tenants' own.
#pragma once

#include <functional>
#include <string>

#include "deployment/settings.hpp"
#include "storage/session.hpp"

namespace arauto::deployment {

// What was found, for people. Throws trouble when mails could not leave.
std::string check_provider(const mail_settings& mail);

// Asks each push account of the house and each account of a tenant's, tells nobody anything, and
// says one line of each. False: not all of them would let us in. Trouble: the settings or the
// database cannot be read.
bool check_accounts(const settings& with, storage::session& db,
                    const std::function<void(const std::string& line)>& say);

} // namespace arauto::deployment
