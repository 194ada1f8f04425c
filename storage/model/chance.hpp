// Chance for main and the actors' edges: everything below takes it as an argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace arauto {

std::array<std::uint8_t, 10> random_bytes_10();    // OpenSSL's generator
std::string random_bytes(std::size_t count);       // the same
double random01();                                 // [0, 1); for jitter, not for secrets
std::string random_base62(std::size_t characters); // for secrets: 5.95 bits a character
std::string sha256_hex(const std::string& bytes);

} // namespace arauto
