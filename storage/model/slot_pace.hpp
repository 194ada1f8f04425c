// How many slots keep the connections of a provider busy. A slot is held while its permit is asked,
// and a connection would idle meanwhile; by Little's law it takes connections x (1 + permit / send)
// slots. A slow provider gets no more than its connections, so that what is permitted is sent at
// once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace arauto {

class slot_pace {
public:
  void permit_took(std::chrono::nanoseconds took) { learn(permit_ns_, took); }
  void send_took(std::chrono::nanoseconds took) { learn(send_ns_, took); }

  std::size_t slots(std::size_t connections) const {
    const double more = std::min(permit_ns_ / std::max(send_ns_, 1.0), more_max);
    return connections + static_cast<std::size_t>(static_cast<double>(connections) * more);
  }

private:
  static constexpr double more_max = 3.0;
  static constexpr double weight = 0.02; // of the newest in the running means

  static void learn(double& mean, std::chrono::nanoseconds took) {
    mean += weight * (static_cast<double>(took.count()) - mean);
  }

  double permit_ns_ = 0.0;
  double send_ns_ = 1e9; // until seen otherwise a provider is slow
};

} // namespace arauto
