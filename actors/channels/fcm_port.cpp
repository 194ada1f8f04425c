#include "actors/channels/access_tokens.hpp"
#include "actors/channels/fcm_form.hpp"
#include "actors/channels/fcm_outcome.hpp"
#include "actors/channels/push_ports.hpp"
#include "actors/channels/push_sending.hpp"

namespace arauto::channels {

namespace {

class fcm_port final : public port {
public:
  fcm_port(const fcm_account& account, const port_means& means)
      : sends_max_{means.sends_max},
        now_{means.now},
        url_{account.url + "/v1/projects/" + account.project_id + "/messages:send"},
        tokens_{account,
                {[this](http_request what, std::function<void(http_answer)> then) {
                   wire_.send(std::move(what), std::move(then));
                 },
                 means.now}},
        wire_{wire_settings(means)} {}

  result<composed> compose(const message& what) const override { return compose_fcm(what, now_()); }

  void send(composed what, steady::time_point trusted_until,
            std::function<void(outcome)> answer) override {
    begin(new_sending(std::move(what), trusted_until, std::move(answer)));
  }

  std::size_t sends_max() const override { return sends_max_; }
  void stop(steady::time_point deadline) override { wire_.stop(deadline); }

private:
  void begin(const push_sending_ptr& one) {
    tokens_.ask([this, one](const access_tokens::given& by) {
      if (by.token.empty()) return one->answer(by.trouble);
      put(one, by.token);
    });
  }

  void put(const push_sending_ptr& one, const std::string& token) {
    auto request = request_of(*one, url_);
    request.headers.emplace_back("content-type", "application/json");
    request.headers.emplace_back("authorization", "Bearer " + token);
    wire_.send(std::move(request),
               [this, one, token](const http_answer& said) { heard(one, token, said); });
  }

  void heard(const push_sending_ptr& one, const std::string& token, const http_answer& said) {
    if (goes_again(*one, said)) return put(one, token);
    if (wants_fresh_token(said) && !std::exchange(one->renewed, true)) {
      tokens_.forget(token);
      return begin(one);
    }
    one->answer(outcome_of_fcm(said));
  }

  const std::size_t sends_max_;
  const std::function<std::chrono::system_clock::time_point()> now_;
  const std::string url_;
  access_tokens tokens_;
  http_client wire_; // last: its thread uses everything above
};

} // namespace

std::unique_ptr<port> make_fcm_port(fcm_account account, const port_means& means) {
  return std::make_unique<fcm_port>(account, means);
}

composed fcm_knock() {
  composed made;
  made.bytes = R"({"validate_only":true,"message":{"token":"nobody","data":{"a":"b"}}})";
  return made;
}

} // namespace arauto::channels
