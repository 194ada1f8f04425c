#include "http/client.hpp"

#include <httplib.h>

namespace arauto::http {

namespace {

constexpr time_t connect_s = 5;
constexpr time_t answer_s = 30;

template <class Ask>
result<client_answer> asked(const client_settings& whom, Ask&& ask) {
  httplib::Client client{whom.url};
  if (!client.is_valid())
    return failure{errc::bad_input, "not an http:// or https:// URL: " + whom.url};
  client.set_connection_timeout(connect_s);
  client.set_read_timeout(answer_s);
  client.set_write_timeout(answer_s);
  client.set_tcp_nodelay(true);
  client.set_follow_location(false);
  if (!whom.key.empty()) client.set_bearer_token_auth(whom.key.c_str());
  const auto got = ask(client);
  if (!got) return failure{errc::unavailable, whom.url + ": " + httplib::to_string(got.error())};
  return client_answer{got->status, got->get_header_value("Idempotent-Replayed") == "true",
                       got->body};
}

} // namespace

result<client_answer> post(const client_settings& to, const std::string& path,
                           const std::string& json) {
  return asked(to, [&](httplib::Client& client) {
    return client.Post(path.c_str(), json, "application/json");
  });
}

result<client_answer> get(const client_settings& from, const std::string& path) {
  return asked(from, [&](httplib::Client& client) { return client.Get(path.c_str()); });
}

} // namespace arauto::http
