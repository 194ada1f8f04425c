#include <utility>

#include "actors/channels/host_waits.hpp"
#include "actors/channels/push_ports.hpp"
#include "actors/channels/push_sending.hpp"
#include "actors/channels/vapid_tokens.hpp"
#include "actors/channels/web_push_form.hpp"
#include "actors/channels/web_push_outcome.hpp"

namespace arauto::channels {

namespace {

http_client_settings public_wire(const port_means& means) {
  auto made = wire_settings(means);
  made.public_addresses_only = !means.private_endpoints;
  return made;
}

outcome asked_to_wait(std::chrono::milliseconds left) {
  outcome made;
  made.said = verdict::not_begun;
  made.cause = "host_asked_to_wait";
  made.retry_after = left;
  made.only_this_target = true;
  return made;
}

class web_push_port final : public port {
public:
  web_push_port(const web_push_account& account, const port_means& means)
      : sends_max_{means.sends_max},
        random_bytes_{means.random_bytes},
        private_endpoints_{means.private_endpoints},
        tokens_{account, means.now},
        wire_{public_wire(means)} {}

  result<composed> compose(const message& what) const override {
    return compose_web_push(what, private_endpoints_, random_bytes_);
  }

  void send(composed what, steady::time_point trusted_until,
            std::function<void(outcome)> answer) override {
    const auto origin = origin_of(what.to);
    if (const auto left = waits_.left(origin, steady::now()); left.count() > 0)
      return answer(asked_to_wait(left));
    put(new_sending(std::move(what), trusted_until, std::move(answer)), origin);
  }

  std::size_t sends_max() const override { return sends_max_; }
  void stop(steady::time_point deadline) override { wire_.stop(deadline); }

private:
  void put(const push_sending_ptr& one, const std::string& origin) {
    auto token = tokens_.for_origin(origin);
    if (token.empty()) return one->answer(no_credential());
    auto request = request_of(*one, one->what.to);
    request.headers.emplace_back("authorization", std::move(token));
    wire_.send(std::move(request),
               [this, one, origin](const http_answer& said) { heard(one, origin, said); });
  }

  void heard(const push_sending_ptr& one, const std::string& origin, const http_answer& said) {
    if (goes_again(*one, said)) return put(one, origin);
    auto made = outcome_of_web_push(said, private_endpoints_ || is_known_push_service(origin));
    if (made.code == 429 || (made.code == 503 && said.retry_after.count() > 0))
      waits_.asked(origin, steady::now() + made.retry_after);
    one->answer(std::move(made));
  }

  const std::size_t sends_max_;
  const std::function<std::string(std::size_t)> random_bytes_;
  const bool private_endpoints_; // a test bench: every host is a push service there
  vapid_tokens tokens_;
  host_waits waits_;
  http_client wire_; // last: its thread uses everything above
};

} // namespace

std::unique_ptr<port> make_web_push_port(web_push_account account, const port_means& means) {
  return std::make_unique<web_push_port>(account, means);
}

} // namespace arauto::channels
