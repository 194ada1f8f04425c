// How many messages of 300 bytes one core encrypts for browsers in a second, and nothing else
// (RFC 8291: a fresh key pair, one agreement, one seal): the limit that tests/load holds the drain
// of Web Pushes against. Prints one number.
#include <chrono>
#include <cstdio>
#include <string>

#include "actors/channels/web_push_crypt.hpp"
#include "storage/model/chance.hpp"

int main() {
  using namespace arauto;
  using clock = std::chrono::steady_clock;
  const auto browser = channels::new_p256_key(random_bytes);
  const channels::browser_keys to{browser.public_point(), random_bytes(16)};
  const std::string plain(300, 'x');
  const auto began = clock::now();
  std::size_t made = 0;
  std::chrono::duration<double> took{};
  while (took < std::chrono::seconds{3}) {
    const auto sealed = channels::encrypt_push(plain, to, channels::new_p256_key(random_bytes),
                                               random_bytes(channels::web_push_salt_bytes));
    if (!sealed) return 1;
    ++made;
    took = clock::now() - began;
  }
  std::printf("%.0f\n", static_cast<double>(made) / took.count());
}
