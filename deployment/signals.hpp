// SIGTERM and SIGINT as something one waits for, not as an interruption.
#pragma once

namespace arauto::deployment {

// Blocks SIGTERM and SIGINT in this thread and all it starts. Before any other thread.
void hold_signals();

// True when one came since and nobody waited for it yet.
bool signal_waits();

// Waits for one of them; from then on the next ends the process at once. Returns its number.
int wait_for_signal();

// As if SIGTERM had come; from any thread.
void ask_for_end();

} // namespace arauto::deployment
