// One request with libcurl, from its handle to its answer. Used by http_client only, on its thread.
//
// libcurl sends a POST again when a connection it had kept dies without a word; that would be a
// second push. Before each try it must ask here, and a second one is refused; the body cannot be
// rewound either (providers.md 0.2).
//
// Whether anybody can have acted on the request is told by how much of it was handed over. Without
// its end it is no request: its length stands in its head, a shorter one is incomplete (RFC 9112,
// 8) or malformed (RFC 9113, 8.1.1), and nothing we send, JSON or sealed, can be read without its
// last byte. providers.md 3 calls every written request doubtful because libcurl only tells that
// something was written; the body's reader here knows how much. A request without a body is whole
// with its head. One that was being answered before its end is in doubt: somebody acted.
#pragma once

#include <functional>
#include <memory>

#include <curl/curl.h>

#include "actors/channels/http_client.hpp"

namespace arauto::channels {

class http_exchange {
public:
  http_exchange(http_request what, std::function<void(http_answer)> answered);
  ~http_exchange();
  http_exchange(const http_exchange&) = delete;
  http_exchange& operator=(const http_exchange&) = delete;

  // Fills a clean handle; it belongs to the exchange from here on.
  void prepare(CURL* handle, const http_client_settings& settings);
  CURL* handle() const { return handle_; }
  // Null when it may not serve another request: libcurl keeps in a handle that one of its streams
  // was refused, and would say so of a later request that was lost.
  CURL* give_handle_back();

  bool is_too_late() const { return http_request::steady::now() >= what_.trusted_until; }
  void answer(CURLcode ended); // libcurl is done with it
  void answer_stopped();       // we are
  void answer_not_begun(const char* cause);

private:
  static int begin_try(void* self, char*, char*, int, int);
  static std::size_t read_body(char* to, std::size_t size, std::size_t count, void* self);
  static int rewind_body(void* self, curl_off_t to, int from);
  static std::size_t take_body(char* from, std::size_t size, std::size_t count, void* self);
  static std::size_t take_header(char* from, std::size_t size, std::size_t count, void* self);
  static int take_words(CURL*, curl_infotype kind, char* words, std::size_t size, void* self);
  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

  bool is_whole() const { return tries_ > 0 && handed_ == what_.body.size(); }
  const char* why_not_begun(CURLcode ended) const;
  void answer(http_answer::end came_to, const char* cause);

  http_request what_;
  std::function<void(http_answer)> answered_;
  http_answer answer_;
  int tries_ = 0;          // begun, on a connection that stands
  std::size_t handed_ = 0; // bytes of the body
  std::size_t answer_bytes_max_ = 0;
  bool trust_ended_ = false;
  bool too_large_ = false;
  bool stream_refused_ = false;
  bool address_refused_ = false;
  bool is_clean_ = false; // answered at the first try
  CURL* handle_ = nullptr;
  curl_slist* headers_ = nullptr;
};

} // namespace arauto::channels
