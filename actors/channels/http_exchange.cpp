#include "actors/channels/http_exchange.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include "storage/model/public_address.hpp"

namespace arauto::channels {

namespace {

http_exchange& exchange_at(void* self) {
  return *static_cast<http_exchange*>(self);
}

std::string lower(std::string_view text) {
  std::string made{text};
  for (auto& c : made)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return made;
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

template <class T>
long in_ms(T time) {
  return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

} // namespace

http_exchange::http_exchange(http_request what, std::function<void(http_answer)> answered)
    : what_{std::move(what)}, answered_{std::move(answered)} {}

http_exchange::~http_exchange() {
  curl_slist_free_all(headers_);
  curl_easy_cleanup(handle_);
}

CURL* http_exchange::give_handle_back() {
  return is_clean_ ? std::exchange(handle_, nullptr) : nullptr;
}

void http_exchange::prepare(CURL* handle, const http_client_settings& settings) {
  handle_ = handle;
  answer_bytes_max_ = settings.answer_bytes_max;
  headers_ = curl_slist_append(nullptr, "Expect:");
  for (const auto& [name, value] : what_.headers) {
    auto line = name;
    headers_ = curl_slist_append(headers_, line.append(": ").append(value).c_str());
  }
  const auto set = [handle](CURLoption option, auto value) {
    curl_easy_setopt(handle, option, value);
  };
  set(CURLOPT_URL, what_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PROXY, ""); // whatever the environment says
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(CURLOPT_PIPEWAIT, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_HTTPHEADER, headers_);
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(what_.body.size()));
  set(CURLOPT_PREREQFUNCTION, &http_exchange::begin_try);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
  set(CURLOPT_READFUNCTION, &http_exchange::read_body);
  set(CURLOPT_READDATA, static_cast<void*>(this));
  set(CURLOPT_SEEKFUNCTION, &http_exchange::rewind_body);
  set(CURLOPT_SEEKDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &http_exchange::take_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_HEADERFUNCTION, &http_exchange::take_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_VERBOSE, 1L); // the only place where a refused stream is named
  set(CURLOPT_DEBUGFUNCTION, &http_exchange::take_words);
  set(CURLOPT_DEBUGDATA, static_cast<void*>(this));
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_CONNECTTIMEOUT_MS, in_ms(settings.connect_timeout));
  set(CURLOPT_TIMEOUT_MS, in_ms(settings.answer_timeout));
  set(CURLOPT_MAXAGE_CONN, static_cast<long>(settings.idle_max.count()));
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  if (!settings.ca_file.empty()) set(CURLOPT_CAINFO, settings.ca_file.c_str());
  if (!settings.public_addresses_only) return;
  set(CURLOPT_OPENSOCKETFUNCTION, &http_exchange::open_socket);
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
}

// Nothing of this try has left yet.
int http_exchange::begin_try(void* self, char*, char*, int, int) {
  auto& here = exchange_at(self);
  here.trust_ended_ = here.tries_ == 0 && here.is_too_late();
  if (here.trust_ended_ || (here.tries_ > 0 && !here.what_.may_repeat))
    return CURL_PREREQFUNC_ABORT;
  ++here.tries_;
  here.stream_refused_ = false; // that was another try
  return CURL_PREREQFUNC_OK;
}

std::size_t http_exchange::read_body(char* to, std::size_t size, std::size_t count, void* self) {
  auto& here = exchange_at(self);
  const auto bytes = std::min(size * count, here.what_.body.size() - here.handed_);
  if (bytes == 0) return 0;
  if (here.is_too_late()) {
    here.trust_ended_ = true;
    return CURL_READFUNC_ABORT;
  }
  std::copy_n(here.what_.body.data() + here.handed_, bytes, to);
  here.handed_ += bytes;
  return bytes;
}

int http_exchange::rewind_body(void* self, curl_off_t to, int from) {
  auto& here = exchange_at(self);
  if (from != SEEK_SET || to != 0) return CURL_SEEKFUNC_FAIL;
  if (here.handed_ > 0 && !here.what_.may_repeat) return CURL_SEEKFUNC_FAIL;
  here.handed_ = 0;
  return CURL_SEEKFUNC_OK;
}

std::size_t http_exchange::take_body(char* from, std::size_t size, std::size_t count, void* self) {
  auto& here = exchange_at(self);
  const auto bytes = size * count;
  here.too_large_ = bytes > here.answer_bytes_max_ - here.answer_.body.size();
  if (here.too_large_) return 0;
  here.answer_.body.append(from, bytes);
  return bytes;
}

std::size_t http_exchange::take_header(char* from, std::size_t size, std::size_t count,
                                       void* self) {
  auto& here = exchange_at(self);
  const std::string_view line{from, size * count};
  const auto colon = line.find(':');
  if (line.rfind("HTTP/", 0) == 0) here.answer_.headers.clear(); // of an interim answer
  if (colon != line.npos && here.answer_.headers.size() < 100)
    here.answer_.headers.emplace_back(lower(line.substr(0, colon)),
                                      trimmed(line.substr(colon + 1)));
  return line.size();
}

int http_exchange::take_words(CURL*, curl_infotype kind, char* words, std::size_t size,
                              void* self) {
  auto& here = exchange_at(self);
  // At its beginning: names of hosts and certificates stand in such lines too. Of a second try it
  // may be said because of the first.
  if (kind == CURLINFO_TEXT && std::string_view{words, size}.rfind("REFUSED_STREAM", 0) == 0)
    here.stream_refused_ = here.tries_ == 1;
  return 0;
}

// Judged on the address that is dialled, after the look-up: a name may have changed its mind.
curl_socket_t http_exchange::open_socket(void* self, curlsocktype, curl_sockaddr* address) {
  if (!is_public_address(address->addr)) {
    exchange_at(self).address_refused_ = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

const char* http_exchange::why_not_begun(CURLcode ended) const {
  if (tries_ > 0 && ended != CURLE_OPERATION_TIMEDOUT) return "connection_lost";
  switch (ended) {
  case CURLE_COULDNT_RESOLVE_HOST: return "host_not_found";
  case CURLE_SSL_CONNECT_ERROR: return "tls_failed";
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CACERT_BADFILE: return "tls_unverified";
  case CURLE_OPERATION_TIMEDOUT: return "timed_out";
  default: return "connect_failed";
  }
}

void http_exchange::answer(CURLcode ended) {
  using end = http_answer::end;
  long status = 0;
  curl_off_t wait_s = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(handle_, CURLINFO_RETRY_AFTER, &wait_s);
  if (ended == CURLE_OK && status >= 200) {
    answer_.status = static_cast<int>(status);
    constexpr curl_off_t wait_s_max = 365LL * 86'400;
    answer_.retry_after = std::chrono::seconds{std::clamp<curl_off_t>(wait_s, 0, wait_s_max)};
    is_clean_ = tries_ == 1;
    return answer(end::answered, "");
  }
  if (too_large_) return answer(end::unknown, "answer_too_large");
  if (stream_refused_) return answer(end::not_begun, "refused_stream");
  if (trust_ended_) return answer(end::not_begun, "trust_ended");
  if (address_refused_ && tries_ == 0) return answer(end::not_begun, "endpoint_refused");
  if (is_whole() || status >= 200) return answer(end::unknown, "lost_answer");
  answer(end::not_begun, why_not_begun(ended));
}

void http_exchange::answer_stopped() {
  if (is_whole()) return answer(http_answer::end::unknown, "lost_answer");
  answer_not_begun("stopping");
}

void http_exchange::answer_not_begun(const char* cause) {
  answer(http_answer::end::not_begun, cause);
}

void http_exchange::answer(http_answer::end came_to, const char* cause) {
  answer_.came_to = came_to;
  answer_.cause = cause;
  if (came_to != http_answer::end::answered) {
    answer_.body.clear();
    answer_.headers.clear();
  }
  std::exchange(answered_, nullptr)(std::move(answer_));
}

} // namespace arauto::channels
