#include "http/server.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <httplib.h>

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include "http/connection.hpp"
#include "http/workers.hpp"
#include "storage/log.hpp"

namespace arauto::http {

namespace {

using namespace std::chrono_literals;

constexpr int backlog = 1'024; // httplib asks for 5, and connects would stall

// httplib's default would let two processes share one port in silence.
void set_reuse(int socket) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

class listener : public httplib::Server {
public:
  listener(const surroundings& around, prometheus::Gauge& open) : around_{around}, open_{open} {}

  void deepen_backlog() { ::listen(svr_sock_, backlog); }

private:
  bool process_and_close_socket(int socket) override {
    if (bounded_workers::is_turning_away()) {
      turn_away(socket);
    } else {
      open_.Increment();
      try {
        connection{socket, around_}.serve();
      } catch (...) { // memory; the connection is lost, the thread is not
        log::error("connection_crashed", {});
      }
      open_.Decrement();
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return true;
  }

  const surroundings& around_;
  prometheus::Gauge& open_;
};

prometheus::Gauge& open_connections(prometheus::Registry& metrics) {
  return prometheus::BuildGauge()
      .Name("arauto_http_connections")
      .Help("Connections that hold a thread")
      .Register(metrics)
      .Add({});
}

} // namespace

struct server::inside {
  inside(http_settings given, storage::pool& sessions, office& staff, prometheus::Registry& metrics)
      : settings{std::move(given)},
        serves{means{settings, sessions, staff, metrics}},
        around{settings, serves, stopping, [this] { return waiting > 0; }},
        listens{around, open_connections(metrics)} {
    listens.set_socket_options(set_reuse);
    listens.set_tcp_nodelay(true);
    listens.new_task_queue = [this]() -> httplib::TaskQueue* { // httplib deletes it
      return new bounded_workers{settings.threads, settings.connections_waiting_max, waiting};
    };
  }

  bool bind(int wanted) {
    if (wanted == 0) {
      port = listens.bind_to_any_port(settings.address);
      if (port <= 0) return false;
    } else {
      if (!listens.bind_to_port(settings.address, wanted)) return false;
      port = wanted;
    }
    listens.deepen_backlog();
    return true;
  }

  // httplib ends its loop when accept fails for any reason, such as a peer that gave up in the
  // queue: open again.
  void listen() {
    for (;;) {
      listens.listen_after_bind();
      if (stopping) return;
      log::warn("listener_reopened", {{"port", port}});
      while (!stopping && !bind(port))
        std::this_thread::sleep_for(100ms);
    }
  }

  http_settings settings;
  std::atomic<bool> stopping{false};
  std::atomic<std::size_t> waiting{0};
  service serves;
  surroundings around;
  listener listens;
  int port = 0;
  std::thread thread;
};

server::server(http_settings settings, storage::pool& sessions, office& staff,
               prometheus::Registry& metrics)
    : inside_{std::make_unique<inside>(std::move(settings), sessions, staff, metrics)} {}

server::~server() {
  stop();
}

result<done> server::start() {
  if (!inside_->bind(inside_->settings.port))
    return failure{errc::unavailable, "cannot listen on " + inside_->settings.address};
  inside_->thread = std::thread{[this] { inside_->listen(); }};
  while (!inside_->listens.is_running()) // before that httplib would not hear stop()
    std::this_thread::sleep_for(1ms);
  return done{};
}

int server::port() const {
  return inside_->port;
}

void server::stop() {
  if (!inside_->thread.joinable()) return;
  inside_->stopping = true;
  inside_->listens.stop();
  inside_->thread.join();
}

} // namespace arauto::http
