#include "http/credentials.hpp"

#include <algorithm>

#include <openssl/crypto.h>

#include "storage/model/chance.hpp"
#include "storage/pool.hpp"

namespace arauto::http {

namespace {

constexpr std::string_view scheme_word = "bearer ";
constexpr std::pair<key_kind, std::string_view> marks[] = {{key_kind::of_tenant, "ar_live_"},
                                                           {key_kind::of_operator, "ar_op_"}};
constexpr std::size_t prefix_characters = 12;
constexpr std::size_t secret_characters = 43; // 43 * 5.95 = 256 bits

bool is_base62(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

bool begins_with_scheme(std::string_view header) {
  if (header.size() < scheme_word.size()) return false;
  return std::equal(
      scheme_word.begin(), scheme_word.end(), header.begin(), [](char wanted, char given) {
        return wanted == given || (given >= 'A' && given <= 'Z' && wanted == given + ('a' - 'A'));
      });
}

scope scope_of(asks wanted) {
  switch (wanted) {
  case asks::send: return scope::send;
  case asks::read: return scope::read;
  case asks::preferences: return scope::preferences;
  default: return scope::admin;
  }
}

} // namespace

new_key make_key(const tenant_id& whose) {
  const auto kind = whose.text.empty() ? key_kind::of_operator : key_kind::of_tenant;
  new_key made;
  made.prefix = random_base62(prefix_characters);
  const auto secret = random_base62(secret_characters);
  made.digest = sha256_hex(secret);
  for (const auto& [marked, mark] : marks)
    if (marked == kind) made.whole_text = std::string{mark} + made.prefix + "_" + secret;
  return made;
}

std::optional<key_parts> read_bearer(std::string_view header) {
  if (!begins_with_scheme(header)) return std::nullopt;
  header.remove_prefix(std::min(header.find_first_not_of(' ', scheme_word.size()), header.size()));
  for (const auto& [kind, mark] : marks) {
    if (header.substr(0, mark.size()) != mark) continue;
    header.remove_prefix(mark.size());
    const auto line = header.find('_');
    if (line == std::string_view::npos) return std::nullopt;
    const auto prefix = header.substr(0, line);
    const auto secret = header.substr(line + 1);
    if (prefix.empty() || prefix.size() > 32 || !is_base62(prefix)) return std::nullopt;
    if (secret.empty() || secret.size() > 128 || !is_base62(secret)) return std::nullopt;
    return key_parts{kind, std::string{prefix}, std::string{secret}};
  }
  return std::nullopt;
}

bool same_digest(const std::string& ours, const std::string& theirs) {
  return ours.size() == theirs.size()
         && CRYPTO_memcmp(ours.data(), theirs.data(), ours.size()) == 0;
}

std::optional<problem> objection_to(const asker& who, asks wanted) {
  if (wanted == asks::nothing) return std::nullopt;
  const bool is_operator = who.tenant.text.empty();
  if (wanted == asks::house)
    return is_operator ? std::nullopt : std::optional{refusal(problem_code::operator_key_needed)};
  if (is_operator) return refusal(problem_code::tenant_key_needed);
  const auto needed = scope_of(wanted);
  if (who.granted.has(needed)) return std::nullopt;
  return refusal(problem_code::scope_missing,
                 "this call needs a key with the scope " + to_string(needed));
}

credentials::credentials(storage::pool& sessions, const http_settings& settings)
    : sessions_{sessions},
      settings_{settings},
      strangers_{sessions, settings},
      uses_{sessions, settings} {}

or_problem<asker> credentials::asker_of(std::optional<std::string_view> authorization) {
  const auto parts = read_bearer(authorization.value_or(std::string_view{}));
  if (!parts) return refusal(problem_code::unauthorized);
  auto facts = facts_of(parts->prefix);
  if (auto* no = std::get_if<problem>(&facts)) return std::move(*no);
  const auto& key = std::get<answer>(facts);
  // An unknown prefix takes the same path and time as a wrong secret.
  static const std::string no_digest(64, '0');
  const bool same = same_digest(sha256_hex(parts->secret), key ? key->digest : no_digest);
  if (!same || !key) return refusal(problem_code::unauthorized);
  const bool is_operator = key->tenant.text.empty();
  if (is_operator != (parts->whose == key_kind::of_operator))
    return refusal(problem_code::unauthorized);
  if (!is_operator && key->status != "active") return refusal(problem_code::tenant_stopped);
  uses_.note(key->prefix);
  return asker{key->tenant, key->granted, key->prefix, key->narrower};
}

// From half its life on, one asker renews a memory while the others still use it: no thundering
// herd. Keys we have met ask by themselves and never stand in line behind strangers.
or_problem<credentials::answer> credentials::facts_of(const std::string& prefix) {
  std::optional<memory> before;
  {
    const std::lock_guard guard{mutex_};
    const auto now = clock::now();
    if (const auto at = known_.find(prefix); at != known_.end()) {
      const auto age = now - at->second.read_at;
      const bool renew = age >= settings_.key_trust / 2 && !at->second.being_renewed;
      if (age < settings_.key_trust && !renew) return at->second.said;
      at->second.being_renewed = true;
      before = at->second;
    } else if (const auto seen = unknown_.find(prefix);
               seen != unknown_.end() && now - seen->second < settings_.key_trust) {
      return answer{};
    }
  }
  return before ? renewed(prefix, std::move(before)) : met_first(prefix);
}

or_problem<credentials::answer> credentials::renewed(const std::string& prefix,
                                                     std::optional<memory> before) {
  const auto asked_at = clock::now(); // before the question: the answer is at least as young
  const auto said =
      sessions_.with([&](storage::session& db) { return storage::find_keys(db, {prefix}); },
                     settings_.database_patience);
  if (said) {
    answer fresh;
    if (!said->empty()) fresh = said->front();
    remember(prefix, fresh, asked_at);
    if (clock::now() - asked_at < settings_.key_trust) return fresh;
  }
  if (clock::now() - before->read_at < settings_.key_trust) return std::move(before->said);
  return said ? retry_later(problem_code::unavailable, 1) : problem_of(said.why());
}

or_problem<credentials::answer> credentials::met_first(const std::string& prefix) {
  auto said = strangers_.ask(prefix);
  if (!said) return problem_of(said.why());
  remember(prefix, said->key, said->asked_at);
  if (clock::now() - said->asked_at < settings_.key_trust) return std::move(said->key);
  return retry_later(problem_code::unavailable, 1);
}

void credentials::remember(const std::string& prefix, const answer& said,
                           clock::time_point read_at) {
  const std::lock_guard guard{mutex_};
  if (!said) { // guesses may cost us this memory, never the other one
    known_.erase(prefix);
    if (unknown_.size() >= settings_.keys_remembered_max) unknown_.clear();
    unknown_.insert_or_assign(prefix, read_at);
    return;
  }
  if (known_.size() >= settings_.keys_remembered_max && known_.count(prefix) == 0) {
    for (auto at = known_.begin(); at != known_.end();)
      at = read_at - at->second.read_at >= settings_.key_trust ? known_.erase(at) : std::next(at);
    if (known_.size() >= settings_.keys_remembered_max) known_.clear();
  }
  known_.insert_or_assign(prefix, memory{*said, read_at, false});
}

} // namespace arauto::http
