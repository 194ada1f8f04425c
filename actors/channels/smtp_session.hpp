// One SMTP connection, used for one message after another. Lives on its port's I/O thread and is
// touched by no other. What is said and what replies mean is decided by smtp_opening and
// smtp_transaction; here are the socket, the one timer and the order of things.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "actors/channels/port.hpp"
#include "actors/channels/smtp_opening.hpp"
#include "actors/channels/smtp_reply.hpp"
#include "actors/channels/smtp_settings.hpp"
#include "actors/channels/smtp_tls.hpp"
#include "actors/channels/smtp_transaction.hpp"

namespace arauto::channels {

// A message on its way through the port.
struct parcel {
  composed what;         // its bytes dot-stuffed and with the final dot
  std::size_t bytes = 0; // before that
  port::steady::time_point trusted_until;
  std::function<void(outcome)> answer;
};

using parcel_ptr = std::unique_ptr<parcel>;

class smtp_session;

class session_owner {
public:
  // May be given a message now, from within the call too.
  virtual void is_ready(smtp_session& who) = 0;

  // Closed for good. `untouched`, if any, must be sent on a fresh connection: this one had died of
  // old age (S27).
  virtual void is_gone(smtp_session& who, parcel_ptr untouched) = 0;

protected:
  ~session_owner() = default;
};

class smtp_session : public std::enable_shared_from_this<smtp_session> {
public:
  using steady = port::steady;

  // All references must outlive the session's last handler.
  smtp_session(boost::asio::io_context& io, const smtp_settings& settings,
               const std::string& helo_name, const tls_context& tls, session_owner& owner);

  void open(parcel_ptr first); // connects and then sends
  void send(parcel_ptr next);  // only when ready
  void stop();                 // ends at once unless a message is being talked about
  void cut();                  // ends at once

private:
  enum class place {
    closed,
    connecting,
    shaking_hands,
    opening,
    idle,
    talking,
    emptying,
    resetting
  };

  // -- opening ---
  void connect();
  void connected();
  void shake_hands();
  void follow(const smtp_opening::step& next);

  // -- one message ---
  void begin_message();
  void follow(smtp_transaction::step next);
  void answer_and(smtp_transaction::act how, outcome said);
  void rest();

  // -- bytes ---
  void read();
  void take(std::string_view bytes);
  void take_plain(std::string_view bytes);
  void take(const smtp_reply& reply);
  void say(std::string_view words);
  void send_content();
  void push();

  // -- ends ---
  void wait_until(steady::time_point when);
  void wait_for_reply();
  void arm();
  void time_is_up();
  void lose(smtp_trouble trouble);
  void leave(outcome said, bool may_try_again);
  void quit();
  void shut();

  const smtp_settings& settings_;
  const std::string& helo_name_;
  const tls_context& tls_context_;
  session_owner& owner_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;

  place place_ = place::closed;
  smtp_opening opening_;
  std::optional<smtp_tls> tls_;
  std::optional<smtp_transaction> transaction_;
  parcel_ptr parcel_;
  std::size_t messages_ = 0; // begun on this connection

  smtp_reply_reader replies_;
  std::array<char, 4'096> in_;
  std::string out_;
  std::size_t written_ = 0;
  bool content_in_out_ = false;
  bool waiting_to_write_ = false;
  bool write_failed_ = false;

  steady::time_point message_deadline_;
  steady::time_point deadline_;
  steady::time_point armed_for_ = steady::time_point::max(); // later deadlines need no new arming
};

} // namespace arauto::channels
