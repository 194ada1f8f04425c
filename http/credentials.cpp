#include "http/credentials.hpp"

#include <algorithm>

#include <openssl/crypto.h>

#include "storage/model/chance.hpp"
#include "storage/pool.hpp"
#include "storage/tenants.hpp"

namespace arauto::http {

namespace {

constexpr std::string_view scheme = "bearer ";
constexpr std::string_view mark = "ar_live_";
constexpr std::size_t prefix_characters = 12;
constexpr std::size_t secret_characters = 43; // 43 * 5.95 = 256 bits

bool is_base62(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

bool begins_with_scheme(std::string_view header) {
  if (header.size() < scheme.size()) return false;
  return std::equal(scheme.begin(), scheme.end(), header.begin(), [](char wanted, char given) {
    return wanted == given || (given >= 'A' && given <= 'Z' && wanted == given + ('a' - 'A'));
  });
}

} // namespace

new_key make_key() {
  new_key made;
  made.prefix = random_base62(prefix_characters);
  const auto secret = random_base62(secret_characters);
  made.digest = sha256_hex(secret);
  made.whole_text = std::string{mark} + made.prefix + "_" + secret;
  return made;
}

std::optional<key_parts> read_bearer(std::string_view header) {
  if (!begins_with_scheme(header)) return std::nullopt;
  header.remove_prefix(std::min(header.find_first_not_of(' ', scheme.size()), header.size()));
  if (header.substr(0, mark.size()) != mark) return std::nullopt;
  header.remove_prefix(mark.size());
  const auto line = header.find('_');
  if (line == std::string_view::npos) return std::nullopt;
  const auto prefix = header.substr(0, line);
  const auto secret = header.substr(line + 1);
  if (prefix.empty() || prefix.size() > 32 || !is_base62(prefix)) return std::nullopt;
  if (secret.empty() || secret.size() > 128 || !is_base62(secret)) return std::nullopt;
  return key_parts{std::string{prefix}, std::string{secret}};
}

bool same_digest(const std::string& ours, const std::string& theirs) {
  return ours.size() == theirs.size()
         && CRYPTO_memcmp(ours.data(), theirs.data(), ours.size()) == 0;
}

credentials::credentials(storage::pool& sessions, const http_settings& settings)
    : sessions_{sessions}, settings_{settings} {}

or_problem<tenant_id> credentials::tenant_of(std::optional<std::string_view> authorization) {
  const auto parts = read_bearer(authorization.value_or(std::string_view{}));
  if (!parts) return refusal(problem_code::unauthorized);
  auto found = remembered(parts->prefix);
  if (!found) {
    auto read = read_again(parts->prefix);
    if (auto* no = std::get_if<problem>(&read)) return std::move(*no);
    found = std::get<memory>(std::move(read));
  }
  // An unknown prefix takes the same path and time as a wrong secret.
  static const std::string no_digest(64, '0');
  const bool same =
      same_digest(sha256_hex(parts->secret), found->known ? found->digest : no_digest);
  if (!same || !found->known) return refusal(problem_code::unauthorized);
  if (found->tenant.text.empty()) return refusal(problem_code::tenant_key_needed);
  if (found->status != "active") return refusal(problem_code::tenant_stopped);
  return found->tenant;
}

// From half its life on, one asker renews a memory while the others still use it: no thundering
// herd.
std::optional<credentials::memory> credentials::remembered(const std::string& prefix) {
  const std::lock_guard guard{mutex_};
  const auto at = memories_.find(prefix);
  if (at == memories_.end()) return std::nullopt;
  const auto age = clock::now() - at->second.read_at;
  if (age >= settings_.key_trust) return std::nullopt;
  if (age >= settings_.key_trust / 2 && !at->second.being_renewed) {
    at->second.being_renewed = true;
    return std::nullopt;
  }
  return at->second;
}

or_problem<credentials::memory> credentials::read_again(const std::string& prefix) {
  memory fresh;
  fresh.read_at = clock::now(); // before the question: the answer is at least as young
  const auto key =
      sessions_.with([&](storage::session& db) { return storage::find_key(db, prefix); },
                     settings_.database_patience);
  if (key) {
    fresh.known = true;
    fresh.digest = key->digest;
    fresh.status = key->status;
    fresh.tenant = key->tenant;
  } else if (key.error() != errc::not_found) {
    return problem_of(key.why());
  }
  remember(prefix, fresh);
  return fresh;
}

void credentials::remember(const std::string& prefix, const memory& what) {
  const std::lock_guard guard{mutex_};
  if (memories_.size() >= settings_.keys_remembered_max && memories_.count(prefix) == 0) {
    for (auto at = memories_.begin(); at != memories_.end();)
      at = what.read_at - at->second.read_at >= settings_.key_trust ? memories_.erase(at)
                                                                    : std::next(at);
    // Still full of young ones: a flood of guesses. It may cost us the memory, never the bound.
    if (memories_.size() >= settings_.keys_remembered_max) memories_.clear();
  }
  memories_.insert_or_assign(prefix, what);
}

} // namespace arauto::http
