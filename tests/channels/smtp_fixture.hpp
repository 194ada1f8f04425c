// What every test of the SMTP port needs: settings for a peer on loopback, a message, and its
// outcome.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <string>

#include <boost/test/unit_test.hpp>

#include "actors/channels/smtp_port.hpp"
#include "tests/support/smtp_peer.hpp"

namespace arauto::tests {

using std::chrono::milliseconds;
using std::chrono::seconds;
using steady = std::chrono::steady_clock;

inline channels::smtp_settings settings_for(std::uint16_t port) {
  channels::smtp_settings made;
  made.host = "127.0.0.1";
  made.port = port;
  made.tls = channels::tls_mode::off;
  made.sender_address = "no-reply@loja.example";
  made.sender_name = "Loja";
  return made;
}

inline std::unique_ptr<channels::port> port_with(const channels::smtp_settings& settings) {
  auto made = channels::make_smtp_port(settings, [] { return std::chrono::system_clock::now(); });
  BOOST_TEST_REQUIRE(static_cast<bool>(made));
  return std::move(*made);
}

inline message mail_to(const std::string& address, const std::string& text = "Hello\n") {
  message made;
  made.key = {{"0190a0b0-1234-7abc-8def-0123456789ab"}, channel::email};
  made.to_address = address;
  made.parts = {{"subject", "Hello"}, {"text", text}};
  return made;
}

inline std::future<outcome> begin_send(channels::port& by, channels::composed what,
                                       steady::time_point trusted_until = steady::now()
                                                                          + seconds{60}) {
  auto promise = std::make_shared<std::promise<outcome>>(); // set twice it would throw
  auto future = promise->get_future();
  by.send(std::move(what), trusted_until,
          [promise](outcome o) { promise->set_value(std::move(o)); });
  return future;
}

inline outcome result_of(std::future<outcome>& future) {
  BOOST_TEST_REQUIRE((future.wait_for(seconds{20}) == std::future_status::ready));
  return future.get();
}

inline outcome send_one(channels::port& by, const std::string& address = "ana@example.com") {
  auto future = begin_send(by, *by.compose(mail_to(address)));
  return result_of(future);
}

// For the message "verdict cause code" in one comparison.
inline std::string in_short(const outcome& made) {
  auto text = std::string{spelled(made.said)};
  if (!made.cause.empty()) text += " " + made.cause;
  return made.code == 0 ? text : text + " " + std::to_string(made.code);
}

// Answers as usual, except for one verb.
inline auto answering(std::string verb, std::string words) {
  return [verb = std::move(verb), words = std::move(words)](const heard& what) {
    return what.verb == verb ? words : usual_reply(what);
  };
}

inline peer_script script_answering(const std::string& verb, const std::string& words) {
  peer_script made;
  made.reply = answering(verb, words);
  return made;
}

} // namespace arauto::tests
