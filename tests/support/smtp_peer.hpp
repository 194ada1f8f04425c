// A mail server that does as it is told: real TCP on loopback, one thread for each connection,
// every reply in the test's hands. It remembers what it heard, and tests wait for that instead of
// sleeping.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/certificate.hpp"

namespace arauto::tests {

// One thing the peer heard and must answer.
struct heard {
  std::string verb; // "" on connecting, EHLO, MAIL, ... , "." after the content, "secret" for
                    // AUTH's further lines
  std::string line;
  int connection = 1;
  int message = 0; // on this connection, from 1; 0 before the first MAIL
};

// Replies beside plain text.
inline const std::string hang_up = "\001hang up"; // closes without a word
inline const std::string reset = "\001reset";     // the connection is reset
inline const std::string silence = "\001silence"; // says nothing from now on, and listens
inline const std::string deafness =
    "\001deafness"; // says 354 and reads nothing until listen_again()

// What a friendly server says. A reply that ends in hang_up is said before closing.
std::string usual_reply(const heard& what);

struct peer_script {
  std::vector<std::string> offers{"PIPELINING", "SIZE 50000000"};
  std::function<std::string(const heard&)> reply = usual_reply;
  std::string interruption; // said in the middle of a large content, before closing
  bool one_byte_packets = false;
  std::string after_starttls; // plain text in the same packet as the 220
  bool implicit_tls = false;
  const certificate* tls = nullptr; // without one, a handshake stalls
};

class smtp_peer {
public:
  explicit smtp_peer(peer_script script);
  ~smtp_peer();
  smtp_peer(const smtp_peer&) = delete;
  smtp_peer& operator=(const smtp_peer&) = delete;

  std::uint16_t port() const { return port_; }

  // What was heard so far, "connection:line"; content appears as "1:." alone.
  std::vector<std::string> lines() const;
  std::vector<std::string> contents() const;       // as received: stuffed, without the final dot
  std::vector<std::string> packets() const;        // as read from the socket; only in clear text
  int times_heard(const std::string& start) const; // lines that begin so, of all connections
  int connections() const;
  int connections_open_max() const;

  // False when it did not happen within ten seconds.
  bool hears(const std::string& start, int times = 1);
  bool is_left(int connections); // so many connections have been closed, by either side

  void say_to_all(const std::string& words); // out of turn, in clear text
  void hang_up_on_all();
  void listen_again();

private:
  class talk;
  void accept_all();
  template <class Condition>
  bool becomes(Condition condition);

  const peer_script script_;
  int listening_ = -1;
  std::uint16_t port_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_, contents_, packets_;
  std::vector<std::unique_ptr<talk>> talks_;
  int open_ = 0, open_max_ = 0, left_ = 0;
  bool listening_again_ = false;
  std::thread accepting_;
};

} // namespace arauto::tests
