#include "actors/channels/apns_form.hpp"
#include "actors/channels/apns_outcome.hpp"
#include "actors/channels/apns_tokens.hpp"
#include "actors/channels/push_ports.hpp"
#include "actors/channels/push_sending.hpp"

namespace arauto::channels {

namespace {

class apns_port final : public port {
public:
  apns_port(const apns_account& account, const port_means& means)
      : sends_max_{means.sends_max},
        now_{means.now},
        topic_{account.topic},
        url_{account.url + "/3/device/"},
        tokens_{account, means.now},
        wire_{wire_settings(means)} {}

  result<composed> compose(const message& what) const override {
    return compose_apns(what, topic_, now_());
  }

  void send(composed what, steady::time_point trusted_until,
            std::function<void(outcome)> answer) override {
    put(new_sending(std::move(what), trusted_until, std::move(answer)));
  }

  std::size_t sends_max() const override { return sends_max_; }
  void stop(steady::time_point deadline) override { wire_.stop(deadline); }

private:
  void put(const push_sending_ptr& one) {
    const auto token = tokens_.current();
    if (token.empty()) return one->answer(no_credential());
    auto request = request_of(*one, url_ + one->what.to);
    request.headers.emplace_back("content-type", "application/json");
    request.headers.emplace_back("authorization", "bearer " + token);
    wire_.send(std::move(request),
               [this, one, token](const http_answer& said) { heard(one, token, said); });
  }

  void heard(const push_sending_ptr& one, const std::string& token, const http_answer& said) {
    if (goes_again(*one, said)) return put(one);
    if (wants_new_jwt(said) && !std::exchange(one->renewed, true)) {
      tokens_.expired(token);
      return put(one);
    }
    auto made = outcome_of_apns(said);
    if (made.cause == "too_many_token_updates") tokens_.one_update_too_many(token);
    if (made.cause == "credential_refused" || made.cause == "token_expired") tokens_.refused(token);
    one->answer(std::move(made));
  }

  const std::size_t sends_max_;
  const std::function<std::chrono::system_clock::time_point()> now_;
  const std::string topic_, url_;
  apns_tokens tokens_;
  http_client wire_; // last: its thread uses everything above
};

} // namespace

std::unique_ptr<port> make_apns_port(apns_account account, const port_means& means) {
  return std::make_unique<apns_port>(account, means);
}

composed apns_knock(const apns_account& account) {
  composed made;
  made.to = std::string(64, '0');
  made.bytes = R"({"aps":{"content-available":1}})";
  made.headers = {{"apns-topic", account.topic.empty() ? "arauto.nobody" : account.topic},
                  {"apns-push-type", "background"},
                  {"apns-priority", "5"},
                  {"apns-expiration", "0"}};
  return made;
}

} // namespace arauto::channels
