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
  void use(const tls_certificate& certificate); // for connections from now on
  void look_up();                               // `stopping` has changed
  void has_left(visitor& who);
  bool listen_for(visitor& who, int socket, bool for_room);

private:
  using clock = std::chrono::steady_clock;

  void open_door();
  void close_door();
  void accept_some();
  void take_in(int socket);
  std::optional<tls_certificate> certificate_now();
  void sweep();
  void bury();
  int patience_ms() const;

  const surroundings& around_;
  int poll_ = -1, door_ = -1, bell_ = -1;
  int port_ = 0;
  bool door_is_watched_ = false;
  clock::time_point sweep_at_;
  std::vector<std::unique_ptr<visitor>> visitors_;
  std::size_t turned_away_ = 0; // of them: only to hear so
  std::atomic<visitor*> left_{nullptr};

  std::mutex mutex_; // of certificate_
  std::optional<tls_certificate> certificate_;
};

} // namespace arauto::http
