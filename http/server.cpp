#include "http/server.hpp"

#include <algorithm>
#include <atomic>
#include <string>
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
constexpr std::size_t connections_min = 16;

prometheus::Gauge& open_connections(prometheus::Registry& metrics) {
  return prometheus::BuildGauge()
      .Name("arauto_http_connections")
      .Help("Open connections")
      .Register(metrics)
      .Add({});
}

// Many systems give 1,024 and would give more to who asks.
std::size_t descriptors_given(std::size_t wanted) {
  rlimit given{};
  if (::getrlimit(RLIMIT_NOFILE, &given) != 0 || given.rlim_cur >= wanted) return wanted;
  auto more = given;
  more.rlim_cur = std::min<rlim_t>(wanted, given.rlim_max);
  return ::setrlimit(RLIMIT_NOFILE, &more) == 0 ? more.rlim_cur : given.rlim_cur;
}

} // namespace

result<std::size_t> connections_within(std::size_t descriptors, std::size_t wanted) {
  const auto least = descriptors_beside + connections_min;
  if (descriptors < least)
    return failure{errc::unavailable, "the system allows " + std::to_string(descriptors)
                                          + " open files and the service needs at least "
                                          + std::to_string(least) + " (ulimit -n, LimitNOFILE)"};
  return std::min(wanted, descriptors - descriptors_beside);
}

struct server::inside {
  inside(http_settings given, storage::pool& sessions, office& staff, prometheus::Registry& metrics,
         const storage::seal_ring& seals)
      : settings{std::move(given)},
        serves{means{settings, sessions, staff, metrics, seals}},
        around{settings,
               serves,
               hands,
               stopping,
               [this](visitor& who, int socket, bool to_write) {
                 return listens.listen_for(who, socket, to_write);
               },
               [this](visitor& who) { listens.has_left(who); },
               greeted},
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

  result<done> fit_into_descriptors() {
    const auto wanted = settings.connections_max + descriptors_beside;
    const auto given = descriptors_given(wanted);
    const auto fit = connections_within(given, settings.connections_max);
    if (!fit) return fit.why();
    if (*fit < settings.connections_max)
      log::warn("few_descriptors",
                {{"wanted", wanted}, {"given", given}, {"connections_max", *fit}});
    settings.connections_max = *fit;
    return done{};
  }

  http_settings settings; // as wanted until the start, as possible from then on
  std::atomic<bool> stopping{false};
  handshakes greeted;
  service serves;
  surroundings around;
  listener listens;
  prometheus::Gauge& connections;
  workers hands; // ends first: their last act is to tell the listener who has left
  std::thread thread;
};

server::server(http_settings settings, storage::pool& sessions, office& staff,
               prometheus::Registry& metrics, const storage::seal_ring& seals)
    : inside_{std::make_unique<inside>(std::move(settings), sessions, staff, metrics, seals)} {}

server::~server() {
  stop(std::chrono::milliseconds{0});
}

result<done> server::start() {
  auto& in = *inside_;
  if (const auto usable = in.use_certificate(); !usable) return usable.why();
  if (const auto fits = in.fit_into_descriptors(); !fits) return fits.why();
  if (const auto opened = in.listens.open(); !opened) return opened.why();
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

void server::stop(std::chrono::milliseconds limit) {
  if (!inside_->thread.joinable()) return;
  inside_->listens.cut_at(std::chrono::steady_clock::now() + limit);
  inside_->stopping = true;
  inside_->listens.look_up();
  inside_->thread.join();
}

} // namespace arauto::http
