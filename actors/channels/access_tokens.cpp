#include "actors/channels/access_tokens.hpp"

#include <algorithm>
#include <utility>

#include "actors/channels/http_outcome.hpp"

namespace arauto::channels {

namespace {

using std::chrono::seconds;

constexpr auto scope = "https://www.googleapis.com/auth/firebase.messaging";
constexpr auto grant =
    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
constexpr seconds assertion_life{3'600};
constexpr seconds token_life_max{86'400};
constexpr seconds pause_after_trouble{1};

outcome no_token(verdict said, const char* cause) {
  outcome made;
  made.said = said;
  made.cause = cause;
  return made;
}

outcome trouble_of(const http_answer& said) {
  if (said.came_to != http_answer::end::answered) {
    auto made = outcome_of_end(said);
    if (made.said == verdict::account_refused || said.cause == "stopping") return made;
    return no_token(verdict::not_begun, "token_unavailable"); // a question harms nobody
  }
  const auto ours = said.status == 400 || said.status == 401 || said.status == 403;
  auto made = answered_with(said, ours ? verdict::account_refused : verdict::not_begun,
                            ours ? "credential_refused" : "token_unavailable");
  const auto body = json_in(said);
  made.detail = kept_words(text_in(body, "error") + ": " + text_in(body, "error_description"));
  return made;
}

seconds life_in(const nlohmann::json& body) {
  if (!body.is_object() || !body.contains("expires_in")) return seconds{0};
  const auto& life = body["expires_in"];
  if (!life.is_number()) return seconds{0};
  return std::clamp(seconds{static_cast<std::int64_t>(std::clamp(life.get<double>(), 0.0, 1e9))},
                    seconds{0}, token_life_max);
}

} // namespace

access_tokens::access_tokens(fcm_account account, means by)
    : account_{std::move(account)}, by_{std::move(by)} {}

void access_tokens::ask(std::function<void(const given&)> then) {
  const auto now = by_.steady_now();
  auto must_fetch = false;
  given at_once;
  {
    const std::lock_guard<std::mutex> hold{mutex_};
    const auto may_fetch = !fetching_ && now >= not_before_;
    if (now < ends_) {
      at_once.token = token_;
      must_fetch = may_fetch && now >= renew_from_;
    } else if (!fetching_ && !may_fetch) {
      at_once.trouble = trouble_;
    } else if (waiting_.size() >= by_.waiting_max) {
      at_once.trouble = no_token(verdict::not_begun, "token_unavailable");
    } else {
      waiting_.push_back(std::exchange(then, nullptr));
      must_fetch = may_fetch;
    }
    if (must_fetch) fetching_ = true;
  }
  if (must_fetch) fetch();
  if (then) then(at_once);
}

void access_tokens::forget(const std::string& token) {
  const std::lock_guard<std::mutex> hold{mutex_};
  if (token_ != token) return;
  token_.clear();
  ends_ = {};
}

void access_tokens::fetch() {
  const auto asked_at = by_.steady_now();
  const auto iat = std::chrono::duration_cast<seconds>(by_.now().time_since_epoch()).count();
  const auto assertion = make_jwt(account_.key, {{"typ", "JWT"}, {"kid", account_.key_id}},
                                  {{"iss", account_.client_email},
                                   {"aud", account_.token_uri},
                                   {"scope", scope},
                                   {"iat", iat},
                                   {"exp", iat + assertion_life.count()}});
  if (!assertion) {
    http_answer unsigned_yet;
    unsigned_yet.came_to = http_answer::end::not_begun;
    return heard(unsigned_yet, asked_at);
  }
  http_request what;
  what.url = account_.token_uri;
  what.headers = {{"content-type", "application/x-www-form-urlencoded"},
                  {"accept", "application/json"}};
  what.body = grant + *assertion;
  what.may_repeat = true;
  by_.fetch(std::move(what), [this, asked_at](const http_answer& said) { heard(said, asked_at); });
}

// The token's life began, for us, when we asked: never later than the provider thinks.
void access_tokens::heard(const http_answer& said, steady::time_point asked_at) {
  const auto body = json_in(said);
  auto token = text_in(body, "access_token");
  const auto life = life_in(body);
  const auto is_answer = said.came_to == http_answer::end::answered && said.status == 200;
  given result;
  std::vector<std::function<void(const given&)>> waiting;
  {
    const std::lock_guard<std::mutex> hold{mutex_};
    fetching_ = false;
    if (is_answer && !token.empty() && life.count() > 0) {
      token_ = result.token = std::move(token);
      ends_ = asked_at + life;
      renew_from_ = asked_at + life * 3 / 4;
      not_before_ = {};
    } else {
      trouble_ = is_answer ? no_token(verdict::not_begun, "token_unavailable") : trouble_of(said);
      result.trouble = trouble_;
      const auto wait = std::max<std::chrono::milliseconds>(
          pause_after_trouble,
          std::min<std::chrono::milliseconds>(trouble_.retry_after, seconds{60}));
      not_before_ = by_.steady_now() + wait;
    }
    waiting.swap(waiting_);
  }
  for (const auto& each : waiting)
    each(result);
}

} // namespace arauto::channels
