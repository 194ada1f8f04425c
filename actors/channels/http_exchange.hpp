// One request with libcurl, from its handle to its answer. Used by http_client only, on its thread.
//
// libcurl sends a POST again when a connection it had kept dies without a word; that would be a
// second push. The body is therefore read through a function that cannot be rewound, and libcurl
// gives up instead (providers.md 0.2). Whether anybody can have acted on the request is told by how
// much of the body was handed over: without its end it is no request.
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
  CURL* give_handle_back();

  bool is_too_late() const { return http_request::steady::now() >= what_.trusted_until; }
  void answer(CURLcode ended); // libcurl is done with it
  void answer_stopped();       // we are
  void answer_not_begun(const char* cause);

private:
  static std::size_t read_body(char* to, std::size_t size, std::size_t count, void* self);
  static int rewind_body(void* self, curl_off_t to, int from);
  static std::size_t take_body(char* from, std::size_t size, std::size_t count, void* self);
  static std::size_t take_header(char* from, std::size_t size, std::size_t count, void* self);
  static int take_words(CURL*, curl_infotype kind, char* words, std::size_t size, void* self);
  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);

  bool is_handed_over() const { return handed_ == what_.body.size(); }
  const char* why_not_begun(CURLcode ended) const;
  void answer(http_answer::end came_to, const char* cause);

  http_request what_;
  std::function<void(http_answer)> answered_;
  http_answer answer_;
  std::size_t handed_ = 0; // bytes of the body
  std::size_t answer_bytes_max_ = 0;
  bool trust_ended_ = false;
  bool too_large_ = false;
  bool stream_refused_ = false;
  bool address_refused_ = false;
  CURL* handle_ = nullptr;
  curl_slist* headers_ = nullptr;
};

} // namespace arauto::channels
