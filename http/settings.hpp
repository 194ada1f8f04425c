// Every number the HTTP floor obeys, in one place (design 5, defaults). Units are in the names or
// types.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace arauto {

inline constexpr std::size_t kib = 1024;

struct http_settings {
  std::string address = "127.0.0.1"; // never every interface unless somebody wrote so
  int port = 8080;                   // 0: any free one, server::port() tells which

  std::string certificate_file, key_file; // PEM; both: TLS, neither: plain

  std::size_t connections_max = 4'096;          // beyond: an idle one goes, or 503 and closed
  std::size_t handshakes_max = 256;             // of TLS, under way; beyond: the next ones wait
  std::size_t threads = 96;                     // requests in work at once
  std::size_t requests_waiting_max = 1'024;     // whole ones without a thread; beyond: 503 at once
  std::chrono::milliseconds waiting_max{2'000}; // who waited longer has given up: 503
  std::size_t requests_per_connection_max = 1'000'000;
  std::chrono::milliseconds idle_max{120'000};   // a connection between two requests
  std::chrono::milliseconds request_max{10'000}; // a request; for the first to begin, too
  std::chrono::milliseconds answer_max{10'000};  // to hand a whole answer to the peer
  std::chrono::milliseconds linger_max{1'000};   // for the peer to read our last words

  std::size_t head_bytes_max = 16 * kib;
  std::size_t line_bytes_max = 8 * kib; // of the head; its end included
  std::size_t headers_max = 64;
  std::size_t path_bytes_max = 2'048; // two ids of 255 bytes, each byte escaped, have room
  std::size_t body_bytes_max = 256 * kib;
  std::size_t batch_bytes_max = 8'192 * kib;
  std::size_t batch_items_max = 1'000;
  std::size_t batches_max = 4; // held at once, from the head to the answer; beyond: 503
  std::size_t variables_bytes_max = 64 * kib;
  std::size_t depth_max = 32;

  bool private_endpoints = false; // test benches: browsers' endpoints on addresses of our own

  int attempts_max = 25; // the office's: what was not accepted is tried again within it

  std::chrono::milliseconds database_patience{2'000}; // for a free session of the pool
  std::chrono::milliseconds key_trust{1'000}; // how long a key read from the database is believed
  std::size_t keys_remembered_max = 16'384;   // of each: good ones, and prefixes that are none
  // Prefixes never met are asked about together: one question at a time, so far apart at least,
  // of at most two thirds as many prefixes as there are threads.
  std::chrono::milliseconds key_questions_apart{2};
  std::chrono::milliseconds key_uses_apart{5'000}; // between two words to the database
};

} // namespace arauto
