// The one thread that waits for the network: takes connections in, tells each what its socket has
// to say and when its time is over, and turns away those there is no room for. What a connection
// then does is the visitor's matter; nothing here waits for a peer or for the database.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <prometheus/gauge.h>

#include "http/tls.hpp"
#include "http/visitor.hpp"
#include "storage/model/errc.hpp"

namespace arauto::http {

class listener {
public:
  explicit listener(const surroundings& around); // whose `left` calls has_left
  ~listener();
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;

  result<done> open(); // unavailable: the address cannot be had
  int port() const { return port_; }
  void run(prometheus::Gauge& connections); // until `stopping` and the last one has left

  // By any thread:
  void use(const tls_certificate& certificate);            // for connections from now on
  void look_up();                                          // `stopping` has changed
  void cut_at(std::chrono::steady_clock::time_point when); // who still waits in a stop
  void has_left(visitor& who);
  bool listen_for(visitor& who, int socket, bool for_room);

private:
  using clock = std::chrono::steady_clock;

  void open_door();
  void shut_door(); // for now: who comes waits in the kernel
  bool may_open_door() const;
  void close_door();
  void accept_some();
  void take_in(int socket, const std::optional<tls_certificate>& certificate);
  bool make_room();
  void find_idle();
  void warn_of_shortage();
  std::optional<tls_certificate> certificate_now();
  void sweep();
  void bury();
  int patience_ms() const;

  const surroundings& around_;
  int poll_ = -1, door_ = -1, bell_ = -1;
  int port_ = 0;
  bool door_is_watched_ = false;
  bool is_short_ = false; // of descriptors or memory, until the next sweep
  std::size_t shortages_ = 0;
  clock::time_point sweep_at_, warn_at_;
  std::atomic<clock::rep> cut_at_{clock::time_point::max().time_since_epoch().count()};
  std::vector<std::unique_ptr<visitor>> visitors_;
  std::size_t turned_away_ = 0; // of them: only to hear so
  std::vector<visitor*> idle_;  // of this turn, the longest last
  bool idle_are_found_ = false;
  std::atomic<visitor*> left_{nullptr};

  std::mutex mutex_; // of certificate_
  std::optional<tls_certificate> certificate_;
};

} // namespace arauto::http
