// Every way an operation of arauto can end other than well. Codes are values between actors and
// floors; exceptions end at the storage and channel edges. Numbers are stable: logs and other nodes
// may know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace arauto {

enum class errc : std::uint8_t {
  none = 0,
  unavailable = 1,     // the database is away, slow or read-only; nothing happened
  commit_in_doubt = 2, // COMMIT was sent and its answer lost; look it up, never guess
  busy = 3,            // another transaction holds a row we need; nothing happened
  try_again = 4,       // serialization failure or deadlock; nothing happened
  lease_lost = 5,      // the token is no longer ours
  no_room = 6,         // a window is full; the asker must come back later
  not_found = 7,
  already_exists = 8,
  schema_too_new = 9, // the database was migrated by a newer arauto
  unsafe_server = 10, // fsync or full_page_writes is off, or a pooler stands in between
  bad_input = 11,
  stopping = 12,            // orderly stop in progress
  crashed_before_send = 13, // a delivery actor threw before it asked the courier to send
  crashed_in_send = 14,     // a delivery actor threw after it asked the courier to send
  internal = 16,
};

std::string_view spelled(errc code);
inline std::string to_string(errc code) {
  return std::string{spelled(code)};
}

// Why something failed: the code decides, the text is for the log (no personal data: SQLSTATE and
// statement name, never PostgreSQL's DETAIL, which quotes values).
struct failure {
  errc code = errc::internal;
  std::string text;
};

// A value or a failure. Must be looked at before use; taking the wrong one is a bug and asserts.
template <class T>
class [[nodiscard]] result {
public:
  result(T value) : value_{std::move(value)} {}
  result(failure why) : why_{std::move(why)} {}
  result(errc code) : why_{failure{code, {}}} {}

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return value_.value(); }
  const T& operator*() const { return value_.value(); }
  T* operator->() { return &value_.value(); }
  const T* operator->() const { return &value_.value(); }
  const failure& why() const { return why_; }
  errc error() const { return value_ ? errc::none : why_.code; }

private:
  std::optional<T> value_;
  failure why_;
};

struct done {}; // result<done>: it worked, and there is nothing more to say

} // namespace arauto
