#include "storage/model/public_address.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>

#include <netinet/in.h>
#include <sys/socket.h>

namespace arauto {

namespace {

struct block {
  std::uint32_t first;
  int bits;
};

// IANA's special-purpose registry, IPv4: what is not globally reachable, and multicast.
constexpr block not_public[] = {
    {0x00000000, 8},  {0x0A000000, 8},  {0x64400000, 10}, {0x7F000000, 8},  {0xA9FE0000, 16},
    {0xAC100000, 12}, {0xC0000000, 24}, {0xC0000200, 24}, {0xC0586300, 24}, {0xC0A80000, 16},
    {0xC6120000, 15}, {0xC6336400, 24}, {0xCB007100, 24}, {0xE0000000, 3}, // to 255.255.255.255
};

bool is_public_v4(std::uint32_t address) {
  return std::none_of(std::begin(not_public), std::end(not_public), [&](const block& each) {
    return (address ^ each.first) >> (32 - each.bits) == 0;
  });
}

std::uint32_t v4_at(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16
         | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

bool begins(const std::uint8_t* bytes, std::initializer_list<std::uint8_t> with) {
  return std::equal(with.begin(), with.end(), bytes);
}

// Of IPv6 only 2000::/3 is given out; in it, what leads to an IPv4 address is judged as that.
bool is_public_v6(const std::uint8_t* bytes) {
  if (begins(bytes, {0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) // NAT64
    return is_public_v4(v4_at(bytes + 12));
  if ((bytes[0] & 0xE0) != 0x20) return false; // also ::1, ::ffff:0:0/96, fc00::/7, fe80::/10
  if (begins(bytes, {0x20, 0x02})) return is_public_v4(v4_at(bytes + 2)); // 6to4
  const auto is_special =
      begins(bytes, {0x20, 0x01, 0x0D, 0xB8})           // documentation
      || (begins(bytes, {0x3F, 0xFF}) && bytes[2] < 16) // and 3fff::/20 (RFC 9637)
      || (begins(bytes, {0x20, 0x01}) && bytes[2] < 2); // 2001::/23, Teredo too
  return !is_special;
}

} // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return is_public_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  return is_public_v6(v6.sin6_addr.s6_addr);
}

} // namespace arauto
