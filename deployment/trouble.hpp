// Something a person has to mend before arauto can run: a setting, a directory, a database. The
// text says what and where and is shown as it is; it never holds a secret.
#pragma once

#include <stdexcept>

namespace arauto::deployment {

struct trouble : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace arauto::deployment
