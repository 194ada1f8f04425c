// What every test of the HTTP client needs: a request begun and its end in words; and the peer that
// loses answers (loss_peer.mjs).
#pragma once

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "actors/channels/http_client.hpp"
#include "tests/support/certificate.hpp"
#include "tests/support/mail_oracle.hpp"
#include "tests/support/real_mail_servers.hpp"

namespace arauto::tests {

inline std::future<channels::http_answer> begin(channels::http_client& by,
                                                channels::http_request what) {
  auto promise = std::make_shared<std::promise<channels::http_answer>>();
  auto future = promise->get_future();
  by.send(std::move(what),
          [promise](channels::http_answer said) { promise->set_value(std::move(said)); });
  return future;
}

inline channels::http_answer ended(std::future<channels::http_answer> waiting) {
  BOOST_TEST_REQUIRE((waiting.wait_for(std::chrono::seconds{20}) == std::future_status::ready));
  return waiting.get();
}

inline std::string in_words(const channels::http_answer& said) {
  switch (said.came_to) {
  case channels::http_answer::end::answered: return std::to_string(said.status);
  case channels::http_answer::end::not_begun: return "not_begun " + said.cause;
  case channels::http_answer::end::unknown: return "unknown " + said.cause;
  }
  return "";
}

inline std::string words(std::future<channels::http_answer> waiting) {
  return in_words(ended(std::move(waiting)));
}

class loss_peer {
public:
  loss_peer()
      : papers_{make_certificate(room_.path(), "DNS:localhost,IP:127.0.0.1", 86'400)},
        program_{{"/usr/bin/env", "node", ARAUTO_SOURCE_DIR "/tests/channels/loss_peer.mjs",
                  papers_.certificate_file, papers_.key_file}} {
    const auto line = program_.first_line();
    if (line.compare(0, 6, "ready ") != 0) throw std::runtime_error{"loss_peer did not start"};
    ports_ = nlohmann::json::parse(line.substr(6));
  }

  std::string url(const std::string& via) const { // h1, h2
    return std::string{via == "h2" ? "https" : "http"} + "://127.0.0.1:" + ports_[via].dump();
  }
  const std::string& ca_file() const { return papers_.certificate_file; }

  channels::http_client_settings settings() const {
    channels::http_client_settings made;
    made.ca_file = ca_file();
    made.sends_max = 20;
    return made;
  }

  channels::http_request request(const std::string& via, const std::string& id,
                                 const std::string& play) const {
    channels::http_request made;
    made.url = url(via) + "/push";
    made.headers = {{"x-id", id}, {"x-play", play}};
    made.body = "a push of some length";
    return made;
  }

  // How often each id was processed.
  nlohmann::json counts() const {
    auto generous = settings();
    generous.answer_bytes_max = 4'000'000;
    channels::http_client asking{generous};
    return nlohmann::json::parse(ended(begin(asking, request("door", "", ""))).body);
  }

private:
  own_directory room_;
  certificate papers_;
  own_program program_;
  nlohmann::json ports_;
};

} // namespace arauto::tests
