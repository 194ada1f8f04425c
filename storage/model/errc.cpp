#include "storage/model/errc.hpp"

namespace arauto {

std::string_view spelled(errc code) {
  switch (code) {
  case errc::none: return "none";
  case errc::unavailable: return "unavailable";
  case errc::commit_in_doubt: return "commit_in_doubt";
  case errc::busy: return "busy";
  case errc::try_again: return "try_again";
  case errc::lease_lost: return "lease_lost";
  case errc::no_room: return "no_room";
  case errc::not_found: return "not_found";
  case errc::already_exists: return "already_exists";
  case errc::schema_too_new: return "schema_too_new";
  case errc::unsafe_server: return "unsafe_server";
  case errc::bad_input: return "bad_input";
  case errc::stopping: return "stopping";
  case errc::crashed_before_send: return "crashed_before_send";
  case errc::crashed_in_send: return "crashed_in_send";
  case errc::internal: return "internal";
  }
  return "unknown";
}

} // namespace arauto
