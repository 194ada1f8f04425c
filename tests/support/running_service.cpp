#include "tests/support/running_service.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <prometheus/registry.h>

#include "actors/office.hpp"
#include "http/credentials.hpp"
#include "http/server.hpp"
#include "storage/keys.hpp"
#include "storage/pool.hpp"

namespace arauto::tests {

namespace {

using namespace std::chrono_literals;

std::string lowered(std::string text) {
  for (auto& c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Takes every mail; says so at once, or when it is told to.
struct mailroom {
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  bool holding = false;
  std::size_t taken = 0;
  std::vector<std::function<void(outcome)>> held;

  void take(std::function<void(outcome)> answer) {
    {
      const std::lock_guard guard{mutex};
      ++taken;
      changed.notify_all();
      if (holding) {
        held.push_back(std::move(answer));
        return;
      }
    }
    say_yes(answer);
  }
  static void say_yes(const std::function<void(outcome)>& answer) {
    outcome yes;
    yes.said = verdict::accepted;
    yes.code = 250;
    yes.provider_ref = "test-ref";
    answer(yes);
  }
  void release() {
    std::vector<std::function<void(outcome)>> all;
    {
      const std::lock_guard guard{mutex};
      holding = false;
      all.swap(held);
    }
    for (const auto& answer : all)
      say_yes(answer);
  }
};

class test_port : public channels::port {
public:
  explicit test_port(std::shared_ptr<mailroom> room) : room_{std::move(room)} {}
  result<channels::composed> compose(const message& what) const override {
    return channels::composed{what.key, "news@example.com", what.to_address, false, "mail"};
  }
  void send(channels::composed, steady::time_point, std::function<void(outcome)> answer) override {
    room_->take(std::move(answer));
  }
  std::size_t sends_max() const override { return 64; }
  void stop(steady::time_point) override { room_->release(); }

private:
  std::shared_ptr<mailroom> room_;
};

} // namespace

std::string http_reply::header(const std::string& lower_name) const {
  const auto at = headers.find(lower_name);
  return at == headers.end() ? std::string{} : at->second;
}

std::string http_reply::code() const {
  return body.is_object() ? body.value("code", std::string{}) : std::string{};
}

http_settings quick_http() {
  http_settings door;
  door.port = 0;
  door.threads = 64;
  return door;
}

running_service::running_service(const http_settings& door) : served{settings(), door} {
  bearer = new_key_for(db, acme);
}

std::string order_body(const std::string& operation) {
  return nlohmann::json{{"user_id", "ana"},
                        {"type", "order.shipped"},
                        {"client_operation_id", operation},
                        {"variables", {{"order", "A-1"}}}}
      .dump();
}

struct served::inside {
  inside(const storage::database_settings& database, const http_settings& door)
      : room{std::make_shared<mailroom>()},
        metrics{std::make_shared<prometheus::Registry>()},
        sessions{database, 8},
        staff{staff_settings(database), all_through(std::make_shared<test_port>(room)), metrics,
              [] {}},
        seals{*storage::seal_ring::read(storage::seal_ring::new_line("test"))},
        api{door, sessions, staff, *metrics, seals} {}

  static office_settings staff_settings(const storage::database_settings& database) {
    office_settings made;
    made.database = database;
    return made;
  }

  std::shared_ptr<mailroom> room;
  std::shared_ptr<prometheus::Registry> metrics;
  storage::pool sessions;
  office staff;
  storage::seal_ring seals;
  http::server api;
};

served::served(const storage::database_settings& database, const http_settings& door)
    : inside_{std::make_unique<inside>(database, door)} {
  BOOST_REQUIRE(inside_->api.start());
}

served::~served() {
  inside_->room->release();
  inside_->api.stop(10s);
  inside_->staff.stop(10s);
}

std::string new_key_for(storage::session& db, const tenant_id& tenant) {
  const auto made = http::make_key(tenant);
  storage::key_wanted wanted{tenant, made.prefix, made.digest, {}, {}, {}};
  if (!tenant.text.empty()) wanted.granted = scopes::all();
  BOOST_REQUIRE(storage::create_key(db, wanted, a_test));
  return "Bearer " + made.whole_text;
}

http_reply served::ask(const std::string& method, const std::string& path, const std::string& body,
                       const header_list& more) const {
  std::map<std::string, std::string> headers = {{"host", "localhost"}, {"authorization", bearer}};
  if (!body.empty()) headers["content-type"] = "application/json";
  for (const auto& [name, value] : more)
    headers[lowered(name)] = value;
  std::string text = method + " " + path + " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers)
    if (!value.empty()) text += name + ": " + value + "\r\n";
  text += "content-length: " + std::to_string(body.size()) + "\r\nconnection: close\r\n\r\n";
  raw_client client{port()};
  client.send(text + body);
  return client.read(15'000, method == "HEAD");
}

http_reply served::post_order(const std::string& operation, const header_list& more) const {
  return ask("POST", "/v1/notifications", order_body(operation), more);
}

nlohmann::json served::await_status(const std::string& id, const std::string& wanted) const {
  nlohmann::json last;
  for (int i = 0; i < 200; ++i) {
    last = ask("GET", "/v1/notifications/" + id).body;
    if (last.value("status", "") == wanted) return last;
    std::this_thread::sleep_for(50ms);
  }
  BOOST_FAIL("still " << last.dump());
  return last;
}

int served::port() const {
  return inside_->api.port();
}

void served::stop_door(std::chrono::milliseconds limit) {
  inside_->api.stop(limit);
}

void served::reload_certificate() {
  inside_->api.reload_certificate();
}

void served::hold_mail() {
  const std::lock_guard guard{inside_->room->mutex};
  inside_->room->holding = true;
}

void served::release_mail() {
  inside_->room->release();
}

std::size_t served::mails_taken() const {
  const std::lock_guard guard{inside_->room->mutex};
  return inside_->room->taken;
}

void served::await_mails(std::size_t count) const {
  auto& room = *inside_->room;
  std::unique_lock lock{room.mutex};
  BOOST_REQUIRE(room.changed.wait_for(lock, 10s, [&] { return room.taken >= count; }));
}

raw_client::raw_client(int port) : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  BOOST_REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
}

raw_client::~raw_client() {
  ::close(socket_);
}

bool raw_client::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool raw_client::receive(int patience_ms) {
  pollfd ready{socket_, POLLIN, 0};
  if (::poll(&ready, 1, patience_ms) != 1) return false;
  char piece[16 * 1024];
  const auto count = ::recv(socket_, piece, sizeof piece, 0);
  if (count <= 0) return false;
  received_.append(piece, static_cast<std::size_t>(count));
  return true;
}

http_reply raw_client::read(int patience_ms, bool to_head) {
  http_reply reply;
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos)
    if (!receive(patience_ms)) return reply;
  std::size_t at = received_.find("\r\n") + 2;
  while (at < end + 2) {
    const auto stop = received_.find("\r\n", at);
    const auto colon = received_.find(": ", at);
    reply.headers[lowered(received_.substr(at, colon - at))] =
        received_.substr(colon + 2, stop - colon - 2);
    at = stop + 2;
  }
  const auto length = reply.header("content-length");
  const auto bytes = to_head || length.empty() ? 0 : std::stoul(length);
  while (received_.size() < end + 4 + bytes)
    if (!receive(patience_ms)) return {};
  reply.status = std::stoi(received_.substr(9, 3));
  reply.text = received_.substr(end + 4, bytes);
  received_.erase(0, end + 4 + bytes);
  reply.body = nlohmann::json::parse(reply.text, nullptr, false);
  if (reply.body.is_discarded()) reply.body = nullptr;
  return reply;
}

bool raw_client::is_closed(int patience_ms) {
  if (!received_.empty()) return false;
  pollfd ready{socket_, POLLIN, 0};
  if (::poll(&ready, 1, patience_ms) != 1) return false;
  char piece = 0;
  return ::recv(socket_, &piece, 1, 0) <= 0;
}

bool raw_client::is_reset(int patience_ms) {
  pollfd ready{socket_, 0, 0};
  return ::poll(&ready, 1, patience_ms) == 1 && (ready.revents & POLLERR) != 0;
}

} // namespace arauto::tests
