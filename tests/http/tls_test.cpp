// The door under TLS, on real sockets: who is let in, who is cut, and a new certificate for those
// who come after it.
#include <filesystem>
#include <fstream>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "http/tls.hpp"
#include "tests/support/certificate.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;

namespace {

const std::string get_health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

template <class T>
using held = std::unique_ptr<T, void (*)(T*)>;

// A client that takes any certificate, and remembers which.
class tls_client {
public:
  explicit tls_client(int port, int newest = TLS1_3_VERSION, const std::string& alpn = {})
      : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)},
        context_{SSL_CTX_new(TLS_client_method()), &SSL_CTX_free},
        ssl_{nullptr, &SSL_free} {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_.get(), newest);
    SSL_CTX_set_security_level(context_.get(), 0); // or it would not even offer the old ones
    ssl_.reset(SSL_new(context_.get()));
    if (!alpn.empty())
      SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(alpn.data()),
                          static_cast<unsigned>(alpn.size()));
    SSL_set_fd(ssl_.get(), socket_);
    ERR_clear_error();
    connected_ = SSL_connect(ssl_.get()) == 1;
  }
  ~tls_client() {
    ssl_.reset();
    ::close(socket_);
  }
  tls_client(const tls_client&) = delete;
  tls_client& operator=(const tls_client&) = delete;

  bool connected() const { return connected_; }
  int version() const { return SSL_version(ssl_.get()); }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &length);
    return {reinterpret_cast<const char*>(name), length};
  }
  std::string certificate() const { // its public key, in DER
    const held<X509> peer{SSL_get1_peer_certificate(ssl_.get()), &X509_free};
    unsigned char* out = nullptr;
    const int length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(peer.get()), &out);
    const std::string key{reinterpret_cast<char*>(out), static_cast<std::size_t>(length)};
    OPENSSL_free(out);
    return key;
  }
  // What is answered up to `end`.
  std::string ask(const std::string& bytes, const std::string& end = "{\"status\":\"ok\"}") {
    if (SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) <= 0) return "";
    std::string all;
    char piece[16 * 1024];
    while (all.find(end) == std::string::npos) {
      const int count = SSL_read(ssl_.get(), piece, sizeof piece);
      if (count <= 0) return all + "<cut>";
      all.append(piece, static_cast<std::size_t>(count));
    }
    return all;
  }

  // Records without data; false: the peer has ended it.
  bool change_keys(int times) {
    for (int i = 0; i < times; ++i)
      if (SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) != 1
          || SSL_do_handshake(ssl_.get()) != 1)
        return false;
    return true;
  }

private:
  int socket_;
  held<SSL_CTX> context_;
  held<SSL> ssl_;
  bool connected_ = false;
};

bool begins_well(const std::string& answer) {
  return answer.rfind("HTTP/1.1 200 OK\r\n", 0) == 0;
}

http_settings door_with(const certificate& files) {
  auto door = quick_http();
  door.threads = 4;
  door.request_max = 1s;
  door.certificate_file = files.certificate_file;
  door.key_file = files.key_file;
  return door;
}

struct tls_files {
  passable_directory home;
  const certificate files = make_certificate(home.path.string(), "DNS:localhost", 3'600);
};

struct tls_door : tls_files, running_service {
  tls_door() : running_service{door_with(files)} {}
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(tls, tls_door)

BOOST_AUTO_TEST_CASE(a_conversation_under_tls_is_the_same_conversation) {
  for (const int newest : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    tls_client client{port(), newest, "\x08http/1.1"};
    BOOST_REQUIRE(client.connected());
    BOOST_TEST(client.version() == newest);
    BOOST_TEST(client.protocol() == "http/1.1");
    BOOST_TEST(begins_well(client.ask(get_health)));
    BOOST_TEST(begins_well(client.ask(get_health)));
    const auto body = order_body("tls-" + std::to_string(newest));
    const auto answer = client.ask("POST /v1/notifications HTTP/1.1\r\nHost: a\r\nContent-Type: "
                                   "application/json\r\nAuthorization: "
                                   + bearer + "\r\nContent-Length: " + std::to_string(body.size())
                                   + "\r\n\r\n" + body + get_health);
    BOOST_TEST(answer.rfind("HTTP/1.1 202 ", 0) == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_large_body_and_a_large_answer_cross_it_whole) {
  tls_client client{port()};
  const std::string body(200'000, ' ');
  const auto head = "POST /v1/notifications HTTP/1.1\r\nHost: a\r\nContent-Type: application/json"
                    "\r\nAuthorization: "
                    + bearer + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  BOOST_TEST(client.ask(head + body, "invalid-json").rfind("HTTP/1.1 400 ", 0) == 0);
  const auto contract = client.ask("GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n" + get_health);
  BOOST_TEST(contract.size() > 30'000u);
}

BOOST_AUTO_TEST_CASE(keys_may_change_but_nobody_sends_nothing_else) {
  tls_client client{port()};
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(client.change_keys(10));
    BOOST_TEST(begins_well(client.ask(get_health)));
  }
  client.change_keys(1'000);
  BOOST_TEST(!begins_well(client.ask(get_health)));
}

BOOST_AUTO_TEST_CASE(who_speaks_another_protocol_or_an_old_one_is_not_let_in) {
  BOOST_TEST(!tls_client(port(), TLS1_1_VERSION).connected());
  BOOST_TEST(!tls_client(port(), TLS1_3_VERSION, "\x02h2").connected());
  raw_client plain{port()};
  plain.send(get_health);
  BOOST_TEST(plain.read(5'000).status == 0);
}

BOOST_AUTO_TEST_CASE(a_handshake_that_stalls_is_cut_and_holds_up_nobody) {
  raw_client silent{port()}, halting{port()};
  halting.send("\x16\x03\x01\x02");
  tls_client good{port()};
  BOOST_TEST(begins_well(good.ask(get_health)));
  BOOST_TEST(silent.is_closed(5'000));
  BOOST_TEST(halting.is_closed(5'000));
}

struct small_tls_door : tls_files, running_service {
  small_tls_door() : running_service{settings(files)} {}
  static http_settings settings(const certificate& files) {
    auto door = door_with(files);
    door.connections_max = 16;
    return door;
  }
};

BOOST_FIXTURE_TEST_CASE(beyond_the_room_a_connection_is_closed_at_once, small_tls_door) {
  std::vector<std::unique_ptr<tls_client>> inside;
  for (int i = 0; i < 16; ++i) {
    inside.push_back(std::make_unique<tls_client>(port()));
    BOOST_REQUIRE(inside.back()->connected());
    BOOST_TEST(begins_well(inside.back()->ask(get_health + "GET "))); // and is not idle
  }
  raw_client late{port()};
  BOOST_TEST(late.is_closed(900));
}

struct narrow_tls_door : tls_files, running_service {
  narrow_tls_door() : running_service{settings(files)} {}
  static http_settings settings(const certificate& files) {
    auto door = door_with(files);
    door.handshakes_max = 2;
    return door;
  }
};

BOOST_FIXTURE_TEST_CASE(only_so_many_shake_hands_and_the_others_wait_until_one_is_over,
                        narrow_tls_door) {
  for (int i = 0; i < 4; ++i) // who is done counts no more
    BOOST_TEST(tls_client{port()}.connected());
  raw_client silent{port()}, halting{port()};
  halting.send("\x16\x03\x01\x02");
  tls_client good{port()};
  BOOST_TEST(begins_well(good.ask(get_health)));
  BOOST_TEST(silent.is_closed(0)); // it came first, and had to go
}

BOOST_AUTO_TEST_CASE(a_new_certificate_is_for_those_who_come_after_it) {
  tls_client before{port()};
  BOOST_REQUIRE(before.connected());
  const auto old = before.certificate();
  (void)make_certificate(home.path.string(), "DNS:localhost", 3'600);
  reload_certificate();
  tls_client after{port()};
  BOOST_TEST(after.certificate() != old);
  BOOST_TEST(begins_well(after.ask(get_health)));
  BOOST_TEST(begins_well(before.ask(get_health)));
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_used_leave_the_old_certificate_in_place) {
  const auto old = tls_client{port()}.certificate();
  std::ofstream{files.certificate_file} << "-----BEGIN CERTIFICATE-----\nnonsense\n";
  reload_certificate();
  BOOST_TEST(tls_client{port()}.certificate() == old);
  std::filesystem::remove(files.key_file);
  reload_certificate();
  tls_client client{port()};
  BOOST_TEST(client.certificate() == old);
  BOOST_TEST(begins_well(client.ask(get_health)));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_CASE(a_certificate_and_the_key_of_another_do_not_fit_together, tls_files) {
  BOOST_TEST(!!http::tls_certificate::read(files.certificate_file, files.key_file));
  const passable_directory elsewhere;
  const auto others = make_certificate(elsewhere.path.string(), "DNS:localhost", 3'600);
  const auto refused = http::tls_certificate::read(files.certificate_file, others.key_file);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error() == errc::bad_input));
  BOOST_TEST(refused.why().text
             == others.key_file + " is not the key of " + files.certificate_file);
  BOOST_TEST(!http::tls_certificate::read(files.key_file, files.key_file));
  BOOST_TEST(!http::tls_certificate::read(files.certificate_file, files.certificate_file));
  BOOST_TEST(!http::tls_certificate::read("/nowhere", files.key_file));
}
