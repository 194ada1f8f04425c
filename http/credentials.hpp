// Who is asking. A tenant's key reads ar_live_<prefix>_<secret>, an operator's
// ar_op_<prefix>_<secret>; the database holds the prefix and SHA-256 of the secret (256 bits of
// chance need no slow hash). What the database said is believed for at most `key_trust`, counted
// from before it was asked, so a revoked key ends within that time, also while the database is
// away: then nobody is let in, and nothing could be done for them either. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/key_desk.hpp"
#include "http/key_uses.hpp"
#include "http/problem.hpp"
#include "http/request.hpp"
#include "http/routes.hpp"
#include "http/settings.hpp"
#include "storage/keys.hpp"

namespace arauto::http {

enum class key_kind : std::uint8_t { of_tenant, of_operator };

struct new_key {
  std::string prefix;     // public
  std::string digest;     // what is stored
  std::string whole_text; // shown once
};
new_key make_key(const tenant_id& whose); // an operator's when empty

struct key_parts {
  key_kind whose = key_kind::of_tenant; // as its mark says; the database knows better
  std::string prefix;
  std::string secret;
};

// From the value of an Authorization header; nothing unless it is `Bearer` and a key of our shape.
std::optional<key_parts> read_bearer(std::string_view header);

// In constant time.
bool same_digest(const std::string& ours, const std::string& theirs);

// Why the asker may not call what asks for this; nothing: it may. The one place that decides it.
std::optional<problem> objection_to(const asker& who, asks wanted);

class credentials {
public:
  credentials(storage::pool& sessions, const http_settings& settings);

  // unauthorized, tenant_stopped, unavailable; or who it is.
  or_problem<asker> asker_of(std::optional<std::string_view> authorization);

private:
  using clock = std::chrono::steady_clock;
  using answer = std::optional<storage::api_key>; // nothing: there is no such key

  struct memory {
    storage::api_key said;
    clock::time_point read_at;
    bool being_renewed = false;
  };

  or_problem<answer> facts_of(const std::string& prefix);
  or_problem<answer> renewed(const std::string& prefix, std::optional<memory> before);
  or_problem<answer> met_first(const std::string& prefix);
  void remember(const std::string& prefix, const answer& said, clock::time_point read_at);

  storage::pool& sessions_;
  const http_settings& settings_;
  key_desk strangers_;
  key_uses uses_;
  std::mutex mutex_;
  std::unordered_map<std::string, memory>
      known_; // past their trust too: they may ask by themselves
  std::unordered_map<std::string, clock::time_point> unknown_;
};

} // namespace arauto::http
