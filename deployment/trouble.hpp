// Something a person has to mend before arauto can run: a setting, a directory, a database. The
// text says what and where and is shown as it is; it never holds a secret.
#pragma once

#include <stdexcept>
#include <string>

#include "storage/model/errc.hpp"

namespace arauto::deployment {

struct trouble : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A failure of the floors below as trouble: "cannot migrate: unavailable: ..."
[[noreturn]] inline void fail(const std::string& what, const failure& why) {
  throw trouble{what + ": " + std::string{spelled(why.code)}
                + (why.text.empty() ? "" : ": " + why.text)};
}

// What a process says to its parent when it ends (the last is sysexits' EX_SOFTWARE).
enum exit_code : int { exit_good = 0, exit_trouble = 1, exit_usage = 2, exit_collapsed = 70 };

} // namespace arauto::deployment
