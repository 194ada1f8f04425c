// SIGTERM, SIGINT and SIGHUP as something one waits for, not as an interruption.
#pragma once

#include <functional>

namespace arauto::deployment {

// Blocks them in this thread and all it starts. Before any other thread.
void hold_signals();

// True when SIGTERM or SIGINT came since and nobody waited for it yet.
bool signal_waits();

// Waits for one of them; from then on the next SIGTERM or SIGINT ends the process at once. Returns
// its number. With `hung_up`, SIGHUP calls it, here, and the wait goes on.
int wait_for_signal(const std::function<void()>& hung_up = {});

// As if SIGTERM had come; from any thread.
void ask_for_end();

} // namespace arauto::deployment
