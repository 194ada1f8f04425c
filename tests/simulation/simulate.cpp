// simulate --seeds N [--from N] [--told]: runs worlds and says what it saw; see README.md.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "tests/simulation/world.hpp"

int main(int count, char** words) {
  using namespace arauto::simulation;
  std::uint64_t seeds = 1'000, from = 1;
  world_options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--told") options.told = true;
    if (word == "--without-fence") options.without_fence = true;
    if (word == "--seeds" && i + 1 < count) seeds = std::stoull(words[++i]);
    if (word == "--from" && i + 1 < count) from = std::stoull(words[++i]);
  }
  const auto begun = std::chrono::steady_clock::now();
  std::map<std::string, std::uint64_t> faults;
  std::uint64_t steps = 0, failed = 0;
  double hours = 0;
  for (auto seed = from; seed < from + seeds; ++seed) {
    const auto report = run_world(seed, options);
    steps += report.steps;
    if (report.steps > 50'000)
      std::cout << "seed " << seed << " took " << report.steps << " steps\n";
    hours += std::chrono::duration<double, std::ratio<3600>>(report.lasted).count();
    for (const auto& [kind, times] : report.faults)
      faults[kind] += times;
    if (!report.violation.empty() && ++failed <= 50)
      std::cout << "seed " << seed << " hash " << std::hex << report.hash << std::dec << ": "
                << report.violation << std::endl;
    if (options.told) std::cout << "hash " << std::hex << report.hash << std::dec << '\n';
    if ((seed - from + 1) % 10'000 == 0)
      std::cout << "... " << seed << ", " << failed << " failed" << std::endl;
  }
  const auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  std::cout << static_cast<double>(seeds) / took << " seeds/s, " << steps << " steps, " << hours
            << " simulated hours\nfaults:";
  for (const auto& [kind, times] : faults)
    std::cout << ' ' << kind << ' ' << times;
  std::cout << "\nviolations: " << failed << '\n'
            << seeds - failed << " passed, " << failed << " failed\n";
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
