#include "storage/model/chance.hpp"

#include <random>
#include <stdexcept>

#include <openssl/rand.h>
#include <openssl/sha.h>

namespace arauto {

namespace {

void fill(std::uint8_t* bytes, std::size_t count) {
  if (RAND_bytes(bytes, static_cast<int>(count)) != 1) throw std::runtime_error{"no randomness"};
}

} // namespace

std::array<std::uint8_t, 10> random_bytes_10() {
  std::array<std::uint8_t, 10> bytes{};
  fill(bytes.data(), bytes.size());
  return bytes;
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  fill(reinterpret_cast<std::uint8_t*>(bytes.data()), count);
  return bytes;
}

double random01() {
  thread_local std::mt19937_64 generator{std::random_device{}()};
  return std::uniform_real_distribution<double>{0.0, 1.0}(generator);
}

std::string random_base62(std::size_t characters) {
  static constexpr char alphabet[] =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string text;
  while (text.size() < characters) {
    std::uint8_t byte = 0;
    fill(&byte, 1);
    if (byte < 248) text += alphabet[byte % 62]; // 248 = 4 * 62: no letter is likelier than another
  }
  return text;
}

std::string sha256_hex(const std::string& bytes) {
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  static constexpr char hex[] = "0123456789abcdef";
  std::string text;
  for (auto byte : digest) {
    text += hex[byte >> 4];
    text += hex[byte & 0x0f];
  }
  return text;
}

} // namespace arauto
