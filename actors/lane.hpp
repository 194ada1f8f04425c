// One channel's part of a tenant's window: what runs here, what an open claim has asked for, and
// what the front may start before anybody hears of it. The sum of the three never passes the
// window. Rules only: no actor, no clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "actors/window.hpp"

namespace arauto {

class lane {
public:
  explicit lane(std::size_t window_max = 0) : places_{window_max} {}

  // -- running -----------------------------------------------------------------

  std::size_t room() const { return places_.room(); }
  bool take() { // false: there is no place
    if (places_.room() == 0) return false;
    places_.take();
    return true;
  }
  void leave() { places_.give_back(); }

  // -- claiming: one claim at a time, while something may wait in the database --------

  struct wish {
    std::uint64_t number = 0;
    std::size_t deliveries = 0;
    std::size_t urgent = 0; // at most so many of them
  };

  void hint() { more_waits_ = true; }
  bool may_claim() const { return more_waits_ && !claiming(); }
  bool claiming() const { return open_.deliveries > 0; }
  bool more_waits() const { return more_waits_; }

  // Asks for all free places and reserves them. Urgent ones get three quarters; where there are
  // too few to share, every fourth claim is for the others.
  wish begin_claim() {
    const auto all = places_.room();
    const auto number = open_.number + 1;
    const auto urgent = all >= 4 ? all - all / 4 : number % 4 == 0 ? 0 : all;
    places_.take(all);
    more_waits_ = false;
    return open_ = {number, all, urgent};
  }

  // Its places are free again, for what it brought. A claim that came back full says: ask again.
  void end_claim(const wish& asked, std::size_t brought, std::size_t urgent) {
    if (!is_open(asked)) return;
    give_up_claim();
    if (brought >= asked.deliveries || urgent >= asked.urgent) more_waits_ = true;
  }

  // Whom it was asked of will not answer.
  void give_up_claim() { places_.give_back(std::exchange(open_.deliveries, 0)); }
  bool is_open(const wish& asked) const { return claiming() && asked.number == open_.number; }

  // -- offering ----------------------------------------------------------------

  std::size_t offered() const { return offered_; }

  // How many more the front may start now: half of the window, while nothing waits.
  std::size_t offer() {
    if (more_waits_ || claiming() || withdrawing_) return 0;
    const auto wanted = places_.max() / 2;
    if (offered_ > wanted / 2) return 0;
    const auto more = std::min(wanted - offered_, places_.room());
    places_.take(more);
    offered_ += more;
    return more;
  }

  // The front used one, or gave some back: these places are free again.
  void returned(std::size_t count) {
    const auto back = std::min(count, offered_);
    offered_ -= back;
    places_.give_back(back);
  }

  bool withdrawing() const { return withdrawing_; }
  void begin_withdrawal() { withdrawing_ = true; }
  void end_withdrawal(std::size_t count) {
    withdrawing_ = false;
    returned(count);
  }
  // A new front knows of no room.
  void forget_offers() { end_withdrawal(offered_); }

  bool is_busy() const { return claiming() || withdrawing() || offered() > 0; } // with others
  bool is_idle() const { return !claiming() && !withdrawing_ && !more_waits_; }

private:
  window places_;
  wish open_;               // its number stays when it has ended
  std::size_t offered_ = 0; // places the front may fill
  bool withdrawing_ = false;
  bool more_waits_ = false; // the last claim came back full, or a hint came since
};

} // namespace arauto
