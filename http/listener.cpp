#include "http/listener.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "storage/log.hpp"

namespace arauto::http {

namespace {

using namespace std::chrono_literals;

constexpr int backlog = 1'024;
constexpr int accepts_a_turn = 64;
constexpr std::size_t events_a_turn = 256;
constexpr std::size_t turned_away_max = 256; // told so at once; beyond them only closed
constexpr auto between_sweeps = 100ms;       // how late a deadline may be noticed

// Said once, then not again until it is asked for: nobody is woken for a visitor that has work.
constexpr std::uint32_t to_read = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
constexpr std::uint32_t to_write = EPOLLOUT | EPOLLRDHUP | EPOLLONESHOT;

int listening_socket(const addrinfo& at) {
  const int made = ::socket(at.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (made < 0) return -1;
  if (::setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0
      && ::bind(made, at.ai_addr, at.ai_addrlen) == 0 && ::listen(made, backlog) == 0)
    return made;
  const int why = errno;
  ::close(made);
  errno = why;
  return -1;
}

int port_of(int socket) {
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size);
  if (at.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(at).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(at).sin_port);
}

bool is_shortage(int why) {
  return why == EMFILE || why == ENFILE || why == ENOBUFS || why == ENOMEM;
}

unsigned news_of(std::uint32_t events) {
  unsigned news = 0;
  if ((events & EPOLLIN) != 0) news |= visitor::readable;
  if ((events & EPOLLOUT) != 0) news |= visitor::writable;
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) news |= visitor::hung_up;
  return news;
}

} // namespace

listener::listener(const surroundings& around)
    : around_{around}, sweep_at_{clock::now()}, warn_at_{sweep_at_} {}

listener::~listener() {
  for (const int one : {door_, bell_, poll_})
    if (one >= 0) ::close(one);
}

result<done> listener::open() {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const auto& settings = around_.settings;
  const auto port = std::to_string(settings.port);
  if (const int no = ::getaddrinfo(settings.address.c_str(), port.c_str(), &wanted, &found))
    return failure{errc::unavailable, settings.address + ": " + ::gai_strerror(no)};
  for (const auto* at = found; at != nullptr && door_ < 0; at = at->ai_next)
    door_ = listening_socket(*at);
  const int why = errno;
  ::freeaddrinfo(found);
  if (door_ < 0) return failure{errc::unavailable, settings.address + ": " + std::strerror(why)};
  port_ = port_of(door_);
  poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  bell_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  epoll_event on_bell{EPOLLIN, {nullptr}};
  if (poll_ < 0 || bell_ < 0 || ::epoll_ctl(poll_, EPOLL_CTL_ADD, bell_, &on_bell) != 0)
    return failure{errc::unavailable, std::strerror(errno)};
  visitors_.reserve(settings.connections_max + turned_away_max); // whom we took we can keep
  idle_.reserve(accepts_a_turn);
  open_door();
  return done{};
}

void listener::open_door() {
  epoll_event on_door{EPOLLIN, {this}};
  door_is_watched_ = ::epoll_ctl(poll_, EPOLL_CTL_ADD, door_, &on_door) == 0;
}

void listener::shut_door() {
  ::epoll_ctl(poll_, EPOLL_CTL_DEL, door_, nullptr);
  door_is_watched_ = false;
}

bool listener::may_open_door() const {
  return door_ >= 0 && !is_short_ && around_.greeted.under_way < around_.settings.handshakes_max;
}

void listener::run(prometheus::Gauge& connections) {
  hold_broken_pipes();
  std::array<epoll_event, events_a_turn> events{};
  while (!around_.stopping || !visitors_.empty()) {
    const int count = ::epoll_wait(poll_, events.data(), events.size(), patience_ms());
    bool somebody_comes = false;
    around_.greeted.steps = 0;
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      if (event.data.ptr == nullptr) {
        std::uint64_t rings = 0;
        [[maybe_unused]] const auto heard = ::read(bell_, &rings, sizeof rings);
      } else if (event.data.ptr == this) {
        somebody_comes = true;
      } else {
        static_cast<visitor*>(event.data.ptr)->tell(news_of(event.events));
      }
    }
    if (around_.stopping && door_ >= 0) close_door();
    if (clock::now() >= sweep_at_) sweep();
    bury(); // after the events: one of them may have been for somebody who left
    if (!door_is_watched_ && may_open_door()) open_door();
    if (somebody_comes && may_open_door()) accept_some(); // there may be room again
    connections.Set(static_cast<double>(visitors_.size()));
  }
}

int listener::patience_ms() const {
  if (visitors_.empty() && (door_is_watched_ || door_ < 0)) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(sweep_at_ - clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

void listener::accept_some() {
  const auto certificate = certificate_now();
  idle_.clear();
  idle_are_found_ = false;
  for (int i = 0; i < accepts_a_turn; ++i) {
    if (certificate && !may_open_door()) return shut_door();
    const int socket = ::accept4(door_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      try {
        take_in(socket, certificate);
      } catch (...) { // memory; it is closed
      }
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return;
    if (!is_shortage(errno)) continue; // it gave up while it waited
    // They wait in the kernel; we look again at the next sweep.
    is_short_ = true;
    warn_of_shortage();
    return shut_door();
  }
}

void listener::warn_of_shortage() {
  ++shortages_;
  if (clock::now() < warn_at_) return;
  warn_at_ = clock::now() + 1min;
  try {
    log::warn("no_descriptor_for_a_connection",
              {{"open", visitors_.size()}, {"times", std::exchange(shortages_, 0)}});
  } catch (...) { // memory
  }
}

void listener::take_in(int socket, const std::optional<tls_certificate>& certificate) {
  const auto most = around_.settings.connections_max;
  // Under TLS a word costs a handshake, which is what there is no room for.
  const bool full = visitors_.size() - turned_away_ >= most && !make_room();
  if (full && (certificate || turned_away_ >= turned_away_max)) {
    ::close(socket);
    return;
  }
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  tls_session tls{nullptr, &SSL_free};
  if (certificate && (tls = certificate->session_over(socket)) == nullptr) {
    ::close(socket);
    return;
  }
  std::unique_ptr<visitor> made{new (std::nothrow) visitor{socket, std::move(tls), around_}};
  if (made == nullptr) {
    ::close(socket);
    return;
  }
  if (full) made->turn_away();
  epoll_event first{full ? to_write : to_read, {made.get()}};
  if (::epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &first) != 0) return; // closes it
  made->place = visitors_.size();
  if (full) ++turned_away_;
  visitors_.push_back(std::move(made)); // there is a place for it
}

// Closes who has been silent longest with nothing begun; false: everybody is busy.
bool listener::make_room() {
  if (!std::exchange(idle_are_found_, true)) find_idle();
  while (!idle_.empty()) {
    auto* one = idle_.back();
    idle_.pop_back();
    const auto before = visitors_.size();
    one->tell(visitor::make_room);
    bury();
    if (visitors_.size() < before) return true;
  }
  return false;
}

// Once a turn, as many as may come in it: looking at everybody for each would be the flood's gain.
void listener::find_idle() {
  std::vector<std::pair<clock::rep, visitor*>> all;
  for (const auto& one : visitors_)
    if (const auto since = one->idle_since(); since != clock::duration::max().count())
      all.emplace_back(since, one.get());
  const auto count = std::min<std::size_t>(all.size(), accepts_a_turn);
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(all.begin(), end, all.end());
  for (auto at = end; at != all.begin();)
    idle_.push_back((--at)->second);
}

void listener::use(const tls_certificate& certificate) {
  const std::lock_guard guard{mutex_};
  certificate_ = certificate;
}

std::optional<tls_certificate> listener::certificate_now() {
  const std::lock_guard guard{mutex_};
  return certificate_;
}

void listener::look_up() {
  const std::uint64_t ring = 1;
  [[maybe_unused]] const auto rung = ::write(bell_, &ring, sizeof ring);
}

void listener::cut_at(clock::time_point when) {
  cut_at_ = when.time_since_epoch().count();
}

void listener::close_door() {
  ::close(std::exchange(door_, -1));
  for (const auto& one : visitors_)
    one->tell(visitor::stop);
}

void listener::sweep() {
  const auto now = clock::now();
  sweep_at_ = now + between_sweeps;
  is_short_ = false;
  if (around_.stopping && now.time_since_epoch().count() >= cut_at_)
    for (const auto& one : visitors_)
      one->tell(visitor::cut);
  for (const auto& one : visitors_)
    if (one->is_overdue(now)) one->tell(visitor::overdue);
}

bool listener::listen_for(visitor& who, int socket, bool for_room) {
  epoll_event next{for_room ? to_write : to_read, {&who}};
  return ::epoll_ctl(poll_, EPOLL_CTL_MOD, socket, &next) == 0;
}

void listener::has_left(visitor& who) {
  who.next_left = left_.load(std::memory_order_relaxed);
  while (!left_.compare_exchange_weak(who.next_left, &who, std::memory_order_release,
                                      std::memory_order_relaxed))
    continue;
  if (around_.stopping) look_up(); // perhaps nobody else is here to wake it
}

void listener::bury() {
  auto* next = left_.exchange(nullptr, std::memory_order_acquire);
  while (next != nullptr) {
    if (next->is_turned_away()) --turned_away_;
    idle_.erase(std::remove(idle_.begin(), idle_.end(), next), idle_.end());
    const auto place = std::exchange(next, next->next_left)->place;
    visitors_[place].swap(visitors_.back());
    visitors_[place]->place = place;
    visitors_.pop_back();
  }
}

} // namespace arauto::http
