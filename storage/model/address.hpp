// E-mail addresses: what is accepted (RFC 5321 mailbox grammar, dot-string local part, no quoted
// strings, no address literals), how it is sent, and how two are compared. Domains become A-labels
// (RFC 5890, libidn2). The local part is compared without regard to ASCII case: a documented rule,
// so that an opt-out of Ana@ also stops ana@.
#pragma once

#include <string>
#include <string_view>

#include "storage/model/errc.hpp"

namespace arauto {

struct email_address {
  std::string as_sent; // local part as written, domain as lower-case A-label
  std::string key; // what opt-outs and suppressions compare: as_sent with the local part's ASCII
                   // lower-cased
  bool needs_utf8 = false; // non-ASCII local part: only with SMTPUTF8 (RFC 6531)
};

// bad_input with a stable reason: empty, too_long, no_at, control, local_part, domain.
result<email_address> parse_address(std::string_view written);

} // namespace arauto
