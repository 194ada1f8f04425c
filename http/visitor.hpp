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

struct surroundings {
  const http_settings& settings;
  service& serves;
  workers& hands;
  const std::atomic<bool>& stopping;
  // Its next news are wanted: bytes, or room to write. Until then nobody hears of it.
  std::function<bool(visitor&, int socket, bool to_write)> listen_for;
  // Its socket is closed, and it will not be touched by us again. Called by any thread.
  std::function<void(visitor&)> left;
};

class visitor {
public:
  using clock = std::chrono::steady_clock;
  enum news : unsigned { readable = 1, writable = 2, hung_up = 4, overdue = 8, stop = 16 };

  visitor(int socket, tls_session tls, const surroundings& around);

  // Nobody has room for it: says so and closes. Before any news, and not under TLS.
  void turn_away();
  bool is_turned_away() const { return turned_away_; }

  void tell(unsigned what); // by the listener
  bool is_overdue(clock::time_point now) const;

  std::size_t place = 0;        // in the listener's list
  visitor* next_left = nullptr; // among those that have left

private:
  enum class stage : std::uint8_t { greeting, talking, telling, lingering };
  enum class turn : std::uint8_t { again, waits, given_away };
  static constexpr unsigned owned = 128;

  void proceed();
  void heed(unsigned what);
  turn take_turn();
  turn greet();
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

  stage stage_;
  bool turned_away_ = false;
  bool readable_ = false;
  bool hung_up_ = false;
  bool over_ = false;         // its time to hear us, or to shake hands, has passed
  bool closing_ = false;      // after what is being told
  bool admitted_ = false;     // the request that is talked about
  bool expects_more_ = false; // a peer that was just answered often goes on at once
  call call_;
  clock::time_point asked_at_; // a worker
  std::size_t answers_ = 0;
  std::string outgoing_;
  std::string_view untold_; // of outgoing_
  std::size_t discarded_ = 0;
};

} // namespace arauto::http
