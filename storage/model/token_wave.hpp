// Whether the tokens of an account die one by one, as they do, or all at once, as after a key for
// the wrong project or the wrong environment. In a wave a provider's word about a token is not
// believed: the account is the likelier fault, and devices must not be wiped for it (S31).
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/model/outcome.hpp"

namespace arauto {

class token_wave {
public:
  // What a provider said of one message. True: it names a dead token in the middle of a wave, and
  // counts as the account's fault. While the wave lasts one acceptance ends it.
  bool heard(verdict said) {
    if (said != verdict::accepted && said != verdict::bad_address) return false; // says nothing
    if (said == verdict::accepted && raging()) forget();
    recent_ = ((recent_ << 1) | (said == verdict::bad_address ? 1U : 0U)) & mask;
    if (known_ < answers_max) ++known_;
    return said == verdict::bad_address && raging();
  }

  bool raging() const {
    const auto dead = static_cast<std::size_t>(__builtin_popcount(recent_));
    return dead >= dead_min && dead * 10 >= known_ * 8;
  }

private:
  static constexpr std::size_t answers_max = 20; // that are remembered
  static constexpr std::size_t dead_min = 10;    // of them, and four in five
  static constexpr std::uint32_t mask = (1U << answers_max) - 1;

  void forget() {
    recent_ = 0;
    known_ = 0;
  }

  std::uint32_t recent_ = 0; // one bit an answer, 1: a dead token
  std::size_t known_ = 0;
};

} // namespace arauto
