// Chance that is the same for the same seed, everywhere: SplitMix64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace arauto::simulation {

class dice {
public:
  // The seed is stirred first: steps apart by one constant would give neighbours the same row of
  // numbers, shifted by one.
  explicit dice(std::uint64_t seed) : state_{seed} { state_ = next(); }

  std::uint64_t next() {
    auto z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least) + 1));
  }
  bool one_in(std::uint64_t count) { return count > 0 && below(count) == 0; } // 0: never
  double real() { return static_cast<double>(next() >> 11) / 9007199254740992.0; }

  template <class List>
  auto& pick(List& list) {
    return list[static_cast<std::size_t>(below(std::size(list)))];
  }

private:
  std::uint64_t state_;
};

// What happened, as one number: equal runs have equal hashes.
class trace_hash {
public:
  void mix(std::uint64_t what) { hash_ = (hash_ ^ what) * 0x100000001b3u + (hash_ >> 47); }
  template <class Text>
  void mix_text(const Text& what) {
    for (const char c : what)
      mix(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return hash_; }

private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

} // namespace arauto::simulation
