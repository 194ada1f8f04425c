// One non-blocking socket, plain or under TLS. Owns it. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/tls.hpp"

namespace arauto::http {

// For each thread that writes: OpenSSL would have it killed by a peer that has gone.
void hold_broken_pipes();

enum class moved : std::uint8_t {
  some,
  not_now, // the kernel will say when
  ended,   // the peer has gone, or it broke the rules of TLS
};

class stream {
public:
  stream(int socket, tls_session tls); // a null session: plain
  ~stream();
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  bool is_plain() const { return tls_ == nullptr; }
  int socket() const { return socket_; }
  bool awaits_room() const; // after not_now: to write; false: it awaits bytes
  bool has_bytes_within(int milliseconds) const;
  moved shake_hands(); // some: done

  moved read(char* room, std::size_t size, std::size_t& count);
  moved write(std::string_view& bytes); // takes off the front what has left

  // The last words have been said. What still comes is thrown away, by `discard`, so that the
  // peer reads them before it meets a reset.
  void end_writing();
  moved discard(std::size_t& count);

  // What the peer did not take in time goes when it is closed, instead of filling the kernel.
  void forget_untold();
  void close();

private:
  moved read_record(char* room, std::size_t size, std::size_t& count);
  moved outcome_of(int returned);

  int socket_;
  bool was_writing_ = false;
  int empty_records_ = 0; // since the last one with data
  tls_session tls_;
};

} // namespace arauto::http
