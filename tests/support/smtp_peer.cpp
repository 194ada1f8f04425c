#include "tests/support/smtp_peer.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace arauto::tests {

namespace {

constexpr auto patience = std::chrono::seconds{10};
constexpr std::size_t interrupted_after = 100'000;

bool ends_in(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.npos, end) == 0;
}

std::string verb_of(const std::string& line) {
  auto verb = line.substr(0, line.find(' '));
  for (auto& c : verb)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return verb;
}

} // namespace

std::string usual_reply(const heard& what) {
  if (what.verb.empty()) return "220 peer.example ESMTP\r\n";
  if (what.verb == "DATA") return "354 go on\r\n";
  if (what.verb == ".") return "250 2.0.0 Ok: queued as TEST1\r\n";
  if (what.verb == "STARTTLS") return "220 2.0.0 go\r\n";
  if (what.verb == "AUTH" && what.line == "AUTH LOGIN") return "334 VXNlcm5hbWU6\r\n";
  if (what.verb == "AUTH") return "235 2.7.0 welcome\r\n";
  if (what.verb == "secret") return "235 2.7.0 welcome\r\n";
  if (what.verb == "QUIT") return "221 2.0.0 bye\r\n" + hang_up;
  return "250 2.1.0 Ok\r\n";
}

// One connection: reads lines, asks the script, says what it says.
class smtp_peer::talk {
public:
  talk(smtp_peer& peer, int socket, int number)
      : peer_{peer}, socket_{socket}, number_{number}, thread_{[this] { run(); }} {}

  ~talk() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  void say(const std::string& words) {
    if (ssl_) {
      SSL_write(ssl_.get(), words.data(), static_cast<int>(words.size()));
      return;
    }
    const std::size_t piece = peer_.script_.one_byte_packets ? 1 : words.size();
    for (std::size_t at = 0; at < words.size(); at += piece)
      if (::send(socket_, words.data() + at, piece, MSG_NOSIGNAL) <= 0) return;
  }

  void end() { ::shutdown(socket_, SHUT_RDWR); }

private:
  using ssl_ptr = std::unique_ptr<SSL, void (*)(SSL*)>;
  using context_ptr = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

  void run() {
    sigset_t pipe; // OpenSSL writes without MSG_NOSIGNAL
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    const auto greeted = (!peer_.script_.implicit_tls || begin_tls()) && follow(answer_to("", ""));
    if (greeted) converse();
    end();
    const std::lock_guard<std::mutex> hold{peer_.mutex_};
    --peer_.open_;
    ++peer_.left_;
    peer_.changed_.notify_all();
  }

  void converse() {
    std::string line;
    while (read_line(line)) {
      const auto verb = in_auth_ ? "secret" : verb_of(line);
      remember(line);
      if (verb == "MAIL") ++message_;
      const auto reply = answer_to(verb, line);
      in_auth_ = (verb == "AUTH" || verb == "secret") && reply.compare(0, 3, "334") == 0;
      if (!follow(reply)) return;
      if (verb == "STARTTLS" && reply[0] == '2' && !begin_tls()) return;
      const auto goes_on = reply[0] == '3' || reply == deafness;
      if (verb == "DATA" && goes_on && !(read_content() && follow(answer_to(".", ".")))) return;
    }
  }

  std::string answer_to(const std::string& verb, const std::string& line) {
    const heard what{verb, line, number_, message_};
    auto reply = peer_.script_.reply(what);
    if (verb == "EHLO" && reply == usual_reply(what)) {
      reply = "250-peer.example\r\n";
      for (const auto& offer : peer_.script_.offers)
        reply += "250-" + offer + "\r\n";
      reply += "250 HELP\r\n";
    }
    if (verb == "STARTTLS") reply += peer_.script_.after_starttls;
    return reply;
  }

  bool follow(const std::string& reply) {
    mute_ |= reply == silence;
    if (mute_) return true;
    if (reply == deafness) {
      say("354 go on\r\n");
      return peer_.becomes([this] { return peer_.listening_again_; });
    }
    const auto resets = ends_in(reply, reset);
    const auto leaves = resets || ends_in(reply, hang_up);
    say(leaves ? reply.substr(0, reply.rfind('\001')) : reply);
    const sockaddr nobody{AF_UNSPEC, {}}; // disconnecting from a peer is a reset
    if (resets) ::connect(socket_, &nobody, sizeof nobody);
    return !leaves;
  }

  bool begin_tls() {
    mute_ |= peer_.script_.tls == nullptr;
    if (mute_) return true;
    context_ = {SSL_CTX_new(TLS_server_method()), &SSL_CTX_free};
    const auto& files = *peer_.script_.tls;
    SSL_CTX_use_certificate_file(context_.get(), files.certificate_file.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context_.get(), files.key_file.c_str(), SSL_FILETYPE_PEM);
    ssl_ptr made{SSL_new(context_.get()), &SSL_free};
    SSL_set_fd(made.get(), socket_);
    if (SSL_accept(made.get()) != 1) return false;
    ssl_ = std::move(made);
    return true;
  }

  bool read_line(std::string& line) {
    auto end = in_.find("\r\n");
    for (; end == in_.npos; end = in_.find("\r\n"))
      if (!read_more()) return false;
    line = in_.substr(0, end);
    in_.erase(0, end + 2);
    return true;
  }

  bool read_content() {
    std::string content, line;
    while (read_line(line)) {
      if (line == ".") {
        const std::lock_guard<std::mutex> hold{peer_.mutex_};
        peer_.contents_.push_back(std::move(content));
        peer_.lines_.push_back(std::to_string(number_) + ":.");
        peer_.changed_.notify_all();
        return true;
      }
      content += line + "\r\n";
      const auto& interruption = peer_.script_.interruption;
      if (!interruption.empty() && content.size() > interrupted_after)
        return follow(interruption) && false;
    }
    return false;
  }

  bool read_more() {
    char room[65'536];
    const auto size = ssl_ ? SSL_read(ssl_.get(), room, sizeof room)
                           : static_cast<int>(::recv(socket_, room, sizeof room, 0));
    if (size <= 0) return false;
    in_.append(room, static_cast<std::size_t>(size));
    if (ssl_) return true;
    const std::lock_guard<std::mutex> hold{peer_.mutex_};
    peer_.packets_.emplace_back(room, static_cast<std::size_t>(size));
    return true;
  }

  void remember(const std::string& line) {
    const std::lock_guard<std::mutex> hold{peer_.mutex_};
    peer_.lines_.push_back(std::to_string(number_) + ":" + line);
    peer_.changed_.notify_all();
  }

  smtp_peer& peer_;
  const int socket_;
  const int number_;
  int message_ = 0;
  bool in_auth_ = false;
  bool mute_ = false;
  std::string in_;
  context_ptr context_{nullptr, &SSL_CTX_free};
  ssl_ptr ssl_{nullptr, &SSL_free};
  std::thread thread_;
};

smtp_peer::smtp_peer(peer_script script) : script_{std::move(script)} {
  listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int window = 65'536; // so that a message can be larger than what the kernel takes
  ::setsockopt(listening_, SOL_SOCKET, SO_RCVBUF, &window, sizeof window);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  auto* const address = reinterpret_cast<sockaddr*>(&here);
  if (listening_ < 0 || ::bind(listening_, address, size) != 0 || ::listen(listening_, 128) != 0
      || ::getsockname(listening_, address, &size) != 0)
    throw std::runtime_error{"the peer cannot listen"};
  port_ = ntohs(here.sin_port);
  accepting_ = std::thread{[this] { accept_all(); }};
}

smtp_peer::~smtp_peer() {
  listen_again();
  ::shutdown(listening_, SHUT_RDWR);
  accepting_.join();
  ::close(listening_);
  talks_.clear();
}

void smtp_peer::accept_all() {
  for (int number = 1;; ++number) {
    const auto socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const std::lock_guard<std::mutex> hold{mutex_};
    open_max_ = std::max(open_max_, ++open_);
    talks_.push_back(std::make_unique<talk>(*this, socket, number));
    changed_.notify_all();
  }
}

std::vector<std::string> smtp_peer::lines() const {
  const std::lock_guard<std::mutex> hold{mutex_};
  return lines_;
}

std::vector<std::string> smtp_peer::contents() const {
  const std::lock_guard<std::mutex> hold{mutex_};
  return contents_;
}

std::vector<std::string> smtp_peer::packets() const {
  const std::lock_guard<std::mutex> hold{mutex_};
  return packets_;
}

int smtp_peer::connections() const {
  const std::lock_guard<std::mutex> hold{mutex_};
  return static_cast<int>(talks_.size());
}

int smtp_peer::connections_open_max() const {
  const std::lock_guard<std::mutex> hold{mutex_};
  return open_max_;
}

int smtp_peer::times_heard(const std::string& start) const {
  const std::lock_guard<std::mutex> hold{mutex_};
  return static_cast<int>(std::count_if(lines_.begin(), lines_.end(), [&](const auto& line) {
    return line.compare(line.find(':') + 1, start.size(), start) == 0;
  }));
}

template <class Condition>
bool smtp_peer::becomes(Condition condition) {
  std::unique_lock<std::mutex> hold{mutex_};
  return changed_.wait_for(hold, patience, condition);
}

bool smtp_peer::hears(const std::string& start, int times) {
  return becomes([&] {
    return times <= std::count_if(lines_.begin(), lines_.end(), [&](const std::string& line) {
             return line.compare(line.find(':') + 1, start.size(), start) == 0;
           });
  });
}

bool smtp_peer::is_left(int connections) {
  return becomes([&] { return left_ >= connections; });
}

void smtp_peer::say_to_all(const std::string& words) {
  const std::lock_guard<std::mutex> hold{mutex_};
  for (const auto& each : talks_)
    each->say(words);
}

void smtp_peer::listen_again() {
  const std::lock_guard<std::mutex> hold{mutex_};
  listening_again_ = true;
  changed_.notify_all();
}

void smtp_peer::hang_up_on_all() {
  const std::lock_guard<std::mutex> hold{mutex_};
  for (const auto& each : talks_)
    each->end();
}

} // namespace arauto::tests
