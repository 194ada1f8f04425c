// One peer at the door: its socket, what it says, and our answers, in order. It belongs to one
// thread at a time: the listener's, or the worker's that answers its request; news for it that come
// meanwhile wait until whoever has it lets go. So nothing here is locked, and an idle peer has no
// thread at all.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "http/connection.hpp"
#include "http/reply.hpp"
#include "http/service.hpp"
#include "http/stream.hpp"
#include "http/workers.hpp"

namespace arauto::http {

class visitor;

struct handshakes { // of TLS; for the listener's thread alone
  std::size_t under_way = 0;
  std::size_t steps = 0; // of this turn: each may cost a signature
};

struct surroundings {
  const http_settings& settings;
  service& serves;
  workers& hands;
  const std::atomic<bool>& stopping;
  // Its next news are wanted: bytes, or room to write. Until then nobody hears of it.
  std::function<bool(visitor&, int socket, bool to_write)> listen_for;
  // Its socket is closed, and it will not be touched by us again. Called by any thread.
  std::function<void(visitor&)> left;
  handshakes& greeted;
};

class visitor {
public:
  using clock = std::chrono::steady_clock;
  enum news : unsigned {
    readable = 1,
    writable = 2,
    hung_up = 4,
    overdue = 8,
    stop = 16,
    make_room = 32,
    cut = 64
  };

  visitor(int socket, tls_session tls, const surroundings& around);
  ~visitor();

  // Nobody has room for it: says so and closes. Before any news, and not under TLS.
  void turn_away();
  bool is_turned_away() const { return turned_away_; }

  void tell(unsigned what); // by the listener
  bool is_overdue(clock::time_point now) const;
  // Since when it has been silent with nothing begun; the end of time: it is not.
  clock::rep idle_since() const { return idle_since_.load(std::memory_order_relaxed); }

  std::size_t place = 0;        // in the listener's list
  visitor* next_left = nullptr; // among those that have left

private:
  enum class stage : std::uint8_t { greeting, talking, telling, lingering };
  enum class turn : std::uint8_t { again, waits, given_away };
  static constexpr unsigned owned = 128;

  void proceed();
  void heed(unsigned what);
  turn take_turn();
  bool is_idle() const;
  turn greet();
  void end_greeting();
  turn read();
  turn ask_a_worker();
  turn tell_answer();
  turn linger();
  turn leave();
  turn wait_for_news(bool to_write);
  void wait_until(clock::time_point when);

  void work(); // a worker's thread
  void answer_request();
  void reply(const answer& said, bool may_stay);
  void refuse(const problem& why, bool may_stay);
  void end_words();

  stream line_;
  const surroundings& around_;
  connection talk_;
  std::atomic<unsigned> news_{0};
  std::atomic<clock::rep> deadline_;
  std::atomic<clock::rep> idle_since_;

  stage stage_;
  bool turned_away_ = false;
  bool greets_ = false;
  bool readable_ = false;
  bool hung_up_ = false;
  bool over_ = false;          // its time to hear us, or to shake hands, has passed
  bool cut_ = false;           // the stop has lasted long enough: nothing is waited for
  bool answered_here_ = false; // by the listener's thread, since it was last told anything
  bool closing_ = false;       // after what is being told
  bool admitted_ = false;      // the request that is talked about
  bool expects_more_ = false;  // a peer that was just answered often goes on at once
  call call_;
  clock::time_point asked_at_; // a worker
  std::size_t answers_ = 0;
  std::string outgoing_;
  std::string_view untold_; // of outgoing_
  std::size_t discarded_ = 0;
};

} // namespace arauto::http
