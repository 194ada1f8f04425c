#include "actors/channels/smtp_opening.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "storage/model/base64.hpp"

namespace arauto::channels {

namespace {

std::string upper(std::string_view text) {
  std::string made{text};
  for (auto& c : made)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return made;
}

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" =\r"), line.size()));
  const auto word = line.substr(0, line.find_first_of(" =\r"));
  line.remove_prefix(word.size());
  return word;
}

std::size_t number_in(std::string_view digits) {
  constexpr std::size_t more_than_any_message = 1'000'000'000'000;
  std::size_t number = 0;
  for (const auto c : digits) {
    if (c < '0' || c > '9') return 0;
    number = std::min(number * 10 + static_cast<std::size_t>(c - '0'), more_than_any_message);
  }
  return number;
}

void add_offer(smtp_offer& offer, const std::string& line) {
  auto rest = std::string_view{line};
  const auto name = next_word(rest);
  if (name == "STARTTLS") offer.starttls = true;
  if (name == "PIPELINING") offer.pipelining = true;
  if (name == "SMTPUTF8") offer.smtputf8 = true;
  if (name == "SIZE") {
    offer.size = true;
    offer.size_max = number_in(next_word(rest));
  }
  if (name != "AUTH") return; // also written AUTH=LOGIN by old servers
  for (auto way = next_word(rest); !way.empty(); way = next_word(rest)) {
    if (way == "PLAIN") offer.auth_plain = true;
    if (way == "LOGIN") offer.auth_login = true;
  }
}

// A password goes only to a peer that proved who it is.
tls_mode mode_for(const smtp_settings& settings) {
  const auto has_secret = !settings.user.empty() && !settings.auth_without_tls;
  return settings.tls == tls_mode::opportunistic && has_secret ? tls_mode::required : settings.tls;
}

} // namespace

smtp_offer offer_in(const smtp_reply& hello) {
  smtp_offer offer;
  auto rest = std::string_view{hello.text};
  for (auto end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
    rest.remove_prefix(end + 1); // the first line is the server's name
    add_offer(offer, upper(rest.substr(0, rest.find('\n'))));
  }
  return offer;
}

smtp_opening::smtp_opening(const smtp_settings& settings, const std::string& helo_name)
    : settings_{settings},
      helo_name_{helo_name},
      tls_{mode_for(settings)},
      secure_{settings.tls == tls_mode::implicit} {}

smtp_stage smtp_opening::stage() const {
  switch (asked_) {
  case asked::nothing: return smtp_stage::greeting;
  case asked::ehlo:
  case asked::helo: return smtp_stage::hello;
  case asked::starttls: return smtp_stage::starttls;
  default: return smtp_stage::auth;
  }
}

smtp_opening::step smtp_opening::take(const smtp_reply& reply) {
  switch (asked_) {
  case asked::nothing:
    if (reply.code != 220) return refuse(reply);
    return say(asked::ehlo, "EHLO " + helo_name_);
  case asked::ehlo:
    if (reply.kind() == 5) return say(asked::helo, "HELO " + helo_name_);
    if (reply.kind() != 2) return refuse(reply);
    offer_ = offer_in(reply);
    return after_hello();
  case asked::helo:
    if (reply.kind() != 2) return refuse(reply);
    offer_ = {};
    return after_hello();
  case asked::starttls:
    if (reply.kind() == 2) return {act::begin_tls, {}, {}};
    return tls_ == tls_mode::opportunistic ? authenticate() : refuse(reply);
  case asked::plain:
  case asked::login_password:
    if (reply.kind() != 2) return refuse(reply);
    return {act::ready, {}, {}};
  case asked::login:
    if (reply.kind() != 3) return refuse(reply);
    return say(asked::login_user, base64(settings_.user));
  case asked::login_user:
    if (reply.kind() != 3) return refuse(reply);
    return say(asked::login_password, base64(settings_.password));
  }
  return refuse(reply);
}

smtp_opening::step smtp_opening::tls_is_up() {
  secure_ = true; // and what was offered in clear text may have been forged: ask again
  return say(asked::ehlo, "EHLO " + helo_name_);
}

smtp_opening::step smtp_opening::after_hello() {
  if (secure_ || tls_ == tls_mode::off) return authenticate();
  if (offer_.starttls) return say(asked::starttls, "STARTTLS");
  return tls_ == tls_mode::opportunistic ? authenticate() : refuse(smtp_trouble::tls_not_offered);
}

smtp_opening::step smtp_opening::authenticate() {
  if (settings_.user.empty()) return {act::ready, {}, {}};
  if (!secure_ && !settings_.auth_without_tls) return refuse(smtp_trouble::auth_needs_tls);
  if (offer_.auth_plain) {
    const auto secret = std::string(1, '\0') + settings_.user + '\0' + settings_.password;
    return say(asked::plain, "AUTH PLAIN " + base64(secret));
  }
  if (offer_.auth_login) return say(asked::login, "AUTH LOGIN");
  return refuse(smtp_trouble::auth_not_offered);
}

smtp_opening::step smtp_opening::say(asked next, std::string line) {
  asked_ = next;
  return {act::say, std::move(line) + "\r\n", {}};
}

smtp_opening::step smtp_opening::refuse(const smtp_reply& reply) const {
  return {act::refuse, {}, outcome_of(stage(), reply)};
}

smtp_opening::step smtp_opening::refuse(smtp_trouble trouble) const {
  return {act::refuse, {}, outcome_of(stage(), trouble)};
}

} // namespace arauto::channels
