// The service put together: database, staff, API; and its end in the right order.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/channels/port.hpp"
#include "deployment/settings.hpp"

namespace arauto::deployment {

// Brings the schema up and refuses a server that can lose what it acknowledged. Waits a little for
// one that is starting.
void prepare_database(const storage::database_settings& database);

std::unique_ptr<channels::port> make_mail_port(const settings& from);

// Serves until a signal asks for the end (exit_good) or the supervisor gave up (exit_collapsed).
// `ready` is told the URL once requests are answered. The database must be prepared.
int serve(const settings& with, const std::function<void(const std::string& url)>& ready);

} // namespace arauto::deployment
