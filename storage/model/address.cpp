#include "storage/model/address.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <idn2.h>

#include "storage/model/text.hpp"

namespace arauto {

namespace {

// RFC 5321, 4.5.3.1: 64 octets for the local part, 256 for the path with its angle brackets.
constexpr std::size_t local_bytes_max = 64;
constexpr std::size_t address_bytes_max = 254;
constexpr std::size_t label_bytes_max = 63;
// A name in U-labels can be longer than its A-labels; past this nothing can become short enough.
constexpr std::size_t written_bytes_max = 1024;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_alnum(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// RFC 5322 atext, and any non-ASCII character (RFC 6531, 3.3).
bool is_atext(char c) {
  return !is_ascii(c) || is_alnum(c)
         || std::string_view{"!#$%&'*+-/=?^_`{|}~"}.find(c) != std::string_view::npos;
}

std::string lowered(std::string_view text) {
  std::string low{text};
  for (auto& c : low)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return low;
}

// Calls `good` for every piece between dots; false when one is empty or not good.
template <class Good>
bool all_between_dots(std::string_view text, Good good) {
  for (;;) {
    const auto dot = text.find('.');
    const auto piece = text.substr(0, dot);
    if (piece.empty() || !good(piece)) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_dot_string(std::string_view local) {
  return is_utf8(local) && all_between_dots(local, [](std::string_view atom) {
           return std::all_of(atom.begin(), atom.end(), is_atext);
         });
}

bool is_label(std::string_view label) {
  return label.size() <= label_bytes_max && label.front() != '-' && label.back() != '-'
         && std::all_of(label.begin(), label.end(), [](char c) { return is_alnum(c) || c == '-'; });
}

// A domain whose last label is a number is an address literal without its brackets.
bool is_host_name(std::string_view domain) {
  if (!all_between_dots(domain, is_label)) return false;
  const auto last = domain.substr(domain.rfind('.') + 1);
  return !std::all_of(last.begin(), last.end(), is_digit);
}

// The result is checked again after the conversion, because the mapping of compatibility
// characters can produce ASCII that was not there before (a full-width greater-than sign).
std::optional<std::string> a_labels(std::string_view domain) {
  if (!is_utf8(domain)) return std::nullopt;
  const auto low = lowered(domain);
  char* converted = nullptr;
  if (idn2_to_ascii_8z(low.c_str(), &converted, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT) != IDN2_OK)
    return std::nullopt;
  const std::unique_ptr<char, void (*)(void*)> owned{converted, idn2_free};
  auto host = lowered(owned.get());
  if (!is_host_name(host)) return std::nullopt;
  return host;
}

failure refusal(const char* reason) {
  return {errc::bad_input, reason};
}

} // namespace

result<email_address> parse_address(std::string_view written) {
  if (written.find_first_not_of(' ') == std::string_view::npos) return refusal("empty");
  if (written.size() > written_bytes_max) return refusal("too_long");
  if (has_control(written)) return refusal("control");
  const auto at = written.rfind('@');
  if (at == std::string_view::npos) return refusal("no_at");

  const auto local = written.substr(0, at);
  if (!is_dot_string(local)) return refusal("local_part");
  if (local.size() > local_bytes_max) return refusal("too_long");
  const auto host = a_labels(written.substr(at + 1));
  if (!host) return refusal("domain");

  email_address address;
  address.as_sent = std::string{local} + '@' + *host;
  if (address.as_sent.size() > address_bytes_max) return refusal("too_long");
  address.key = lowered(local) + '@' + *host;
  address.needs_utf8 = !std::all_of(local.begin(), local.end(), is_ascii);
  return address;
}

} // namespace arauto
