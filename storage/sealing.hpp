// Secrets of accounts at rest: AES-256-GCM (NIST SP 800-38D) under keys from a file that is not in
// the database. A new key is put first in the file, then everything is sealed anew (`arauto
// account reseal`), then the old line may go. Thread-safe once read.
//
// The file: one key a line, `name:base64 of 32 random bytes`; the first seals, all open; lines
// beginning with # are ignored. A sealed text is `name:nonce:ciphertext and tag`, base64; the
// context (tenant, provider, app) is authenticated with it, so that a row copied to another tenant
// does not open.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/model/errc.hpp"

namespace arauto::storage {

class seal_ring {
public:
  seal_ring() = default; // no key: seals and opens nothing (bad_input)

  static result<seal_ring> read(std::string_view file_text); // bad_input says which line and why
  // A fresh key, as the file wants it; empty: no name of a key (1 to 64 of letters, digits, . - _).
  static std::string new_line(std::string_view name);

  result<std::string> seal(std::string_view plain, std::string_view context) const;
  // bad_input: no such key, or not sealed under it with this context.
  result<std::string> open(std::string_view sealed, std::string_view context) const;

  bool empty() const { return keys_.empty(); }
  // The name of the key that seals; of an empty ring: empty.
  std::string current() const { return keys_.empty() ? std::string{} : keys_.front().first; }
  // Sealed under the first key?
  bool is_current(std::string_view sealed) const;

private:
  std::vector<std::pair<std::string, std::string>> keys_; // name, 32 bytes
};

} // namespace arauto::storage
