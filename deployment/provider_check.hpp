// Whether the e-mail provider of the settings can be reached from here.
#pragma once

#include <string>

#include "deployment/settings.hpp"

namespace arauto::deployment {

// What was found, for people. Throws trouble when mails could not leave.
std::string check_provider(const mail_settings& mail);

} // namespace arauto::deployment
