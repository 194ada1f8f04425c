#include "http/server.hpp"

#include <atomic>
#include <thread>

#include <sys/resource.h>

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include "http/listener.hpp"
#include "http/workers.hpp"
#include "storage/log.hpp"

namespace arauto::http {

namespace {

constexpr std::size_t descriptors_beside = 512; // sessions, provider, log

prometheus::Gauge& open_connections(prometheus::Registry& metrics) {
  return prometheus::BuildGauge()
      .Name("arauto_http_connections")
      .Help("Open connections")
      .Register(metrics)
      .Add({});
}

// Many systems give 1,024 and would give more to who asks.
void want_descriptors(std::size_t wanted) {
  rlimit given{};
  if (::getrlimit(RLIMIT_NOFILE, &given) != 0 || given.rlim_cur >= wanted) return;
  given.rlim_cur = std::min<rlim_t>(wanted, given.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &given) != 0 || given.rlim_cur < wanted)
    log::warn("few_descriptors", {{"wanted", wanted}, {"given", given.rlim_cur}});
}

} // namespace

struct server::inside {
  inside(http_settings given, storage::pool& sessions, office& staff, prometheus::Registry& metrics)
      : settings{std::move(given)},
        serves{means{settings, sessions, staff, metrics}},
        around{settings,
               serves,
               hands,
               stopping,
               [this](visitor& who, int socket, bool to_write) {
                 return listens.listen_for(who, socket, to_write);
               },
               [this](visitor& who) { listens.has_left(who); }},
        listens{around},
        connections{open_connections(metrics)},
        hands{settings.threads, settings.requests_waiting_max} {}

  result<done> use_certificate() {
    if (settings.certificate_file.empty()) return done{};
    const auto read = tls_certificate::read(settings.certificate_file, settings.key_file);
    if (!read) return read.why();
    listens.use(*read);
    return done{};
  }

  const http_settings settings;
  std::atomic<bool> stopping{false};
  service serves;
  surroundings around;
  listener listens;
  prometheus::Gauge& connections;
  workers hands; // ends first: their last act is to tell the listener who has left
  std::thread thread;
};

server::server(http_settings settings, storage::pool& sessions, office& staff,
               prometheus::Registry& metrics)
    : inside_{std::make_unique<inside>(std::move(settings), sessions, staff, metrics)} {}

server::~server() {
  stop();
}

result<done> server::start() {
  auto& in = *inside_;
  if (const auto usable = in.use_certificate(); !usable) return usable.why();
  if (const auto opened = in.listens.open(); !opened) return opened.why();
  want_descriptors(in.settings.connections_max + descriptors_beside);
  in.thread = std::thread{[&in] { in.listens.run(in.connections); }};
  return done{};
}

int server::port() const {
  return inside_->listens.port();
}

void server::reload_certificate() {
  const auto read = inside_->use_certificate();
  if (read)
    log::info("certificate_reloaded", {});
  else
    log::error("certificate_kept", {{"why", read.why().text}});
}

void server::stop() {
  if (!inside_->thread.joinable()) return;
  inside_->stopping = true;
  inside_->listens.look_up();
  inside_->thread.join();
}

} // namespace arauto::http
