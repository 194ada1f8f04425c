// A whole service in this process: office, HTTP door on a free port of the loopback, and a provider
// that does what the test says; on any database (`served`), or on one of its own with tenant
// `acme`, user `ana` and template `order.shipped` (`running_service`; see ledger.hpp).
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "http/settings.hpp"
#include "tests/support/ledger.hpp"

namespace arauto::tests {

struct http_reply {
  int status = 0;
  std::map<std::string, std::string> headers; // names in lower case
  std::string text;
  nlohmann::json body; // null when the text is no JSON

  std::string header(const std::string& lower_name) const; // "" when absent
  std::string code() const;                                // of a problem
};

using header_list = std::vector<std::pair<std::string, std::string>>;

// Any free port, and patience that fits tests.
http_settings quick_http();

struct served {
  served(const storage::database_settings& database, const http_settings& door);
  ~served();
  served(const served&) = delete;
  served& operator=(const served&) = delete;

  // As acme, with application/json where there is a body. A header of the same name replaces ours.
  http_reply ask(const std::string& method, const std::string& path, const std::string& body = {},
                 const header_list& more = {}) const;
  http_reply post_order(const std::string& operation, const header_list& more = {}) const;

  nlohmann::json await_status(const std::string& id, const std::string& wanted) const;

  int port() const;
  void stop_door(std::chrono::milliseconds limit = std::chrono::seconds{10});
  void reload_certificate();

  // The provider: answers each message at once, or holds it until released.
  void hold_mail();
  void release_mail();
  std::size_t mails_taken() const;
  void await_mails(std::size_t count) const; // fails the test after 10 s

  std::string bearer; // the key that `ask` shows

private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

std::string new_key_for(storage::session& db, const tenant_id& tenant); // "Bearer ar_live_..."

struct running_service : ledger, served {
  explicit running_service(const http_settings& door = quick_http());
};

std::string order_body(const std::string& operation);

// One socket and plain bytes: for what no client library would send.
class raw_client {
public:
  explicit raw_client(int port);
  ~raw_client();
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  bool send(const std::string& bytes); // false: the peer has closed
  // One whole answer; status 0 when the connection ended or `patience_ms` passed before it came.
  http_reply read(int patience_ms = 15'000, bool to_head = false);
  bool is_closed(int patience_ms = 15'000); // true when the peer closed, and nothing came before
  bool is_reset(int patience_ms = 15'000);  // without reading what came before

private:
  bool receive(int patience_ms);

  int socket_ = -1;
  std::string received_;
};

} // namespace arauto::tests
