// The bytes of one client: reads a whole request within limits and a deadline, has it answered, and
// goes on with the next. One thread per connection; a connection that waits between two requests
// gives its thread up when others are waiting for one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "http/reply.hpp"
#include "http/service.hpp"
#include "http/settings.hpp"

namespace arauto::http {

struct surroundings {
  const http_settings& settings;
  service& serves;
  const std::atomic<bool>& stopping;
  std::function<bool()> others_wait;
};

class connection {
public:
  connection(int socket, const surroundings& around); // does not own the socket
  void serve();

private:
  using clock = std::chrono::steady_clock;
  enum class arrival : std::uint8_t { some, ended, late };
  enum class waiting : bool { between_requests, within_one };

  bool serve_one(bool last); // false: the connection is over
  bool await_first_byte();
  bool await_head(clock::time_point deadline); // false: refused, or the peer has gone
  bool await_body(std::size_t bytes, clock::time_point deadline);
  arrival receive(clock::time_point deadline, waiting where);

  bool refuse(const problem& why); // what cannot be read on: answered and closed; always false
  bool reply(const answer& said, const reply_facts& facts);
  bool hand_over(std::string_view bytes);
  void drain(); // so that the peer reads our last words before a reset

  int socket_;
  const surroundings& around_;
  std::string head_;
  std::string received_; // what came after head_
};

// For a connection nobody has room for: a 503, without ever waiting for the peer.
void turn_away(int socket);

} // namespace arauto::http
