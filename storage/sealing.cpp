#include "storage/sealing.hpp"

#include <algorithm>
#include <memory>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "storage/model/base64.hpp"

namespace arauto::storage {

namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t nonce_bytes = 12; // what GCM takes as it is
constexpr std::size_t tag_bytes = 16;
constexpr std::size_t name_bytes_max = 64;

struct free_cipher {
  void operator()(EVP_CIPHER_CTX* c) const { EVP_CIPHER_CTX_free(c); }
};
using cipher = std::unique_ptr<EVP_CIPHER_CTX, free_cipher>;

failure bad(std::string what) {
  return {errc::bad_input, std::move(what)};
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1)
    return {};
  return bytes;
}

bool is_key_name(std::string_view name) {
  return !name.empty() && name.size() <= name_bytes_max
         && std::all_of(name.begin(), name.end(), [](unsigned char c) {
              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                     || c == '-' || c == '_' || c == '.';
            });
}

std::string_view name_of(std::string_view sealed) {
  return sealed.substr(0, sealed.find(':'));
}

// Ciphertext and tag; empty when OpenSSL would not.
std::string encrypted(std::string_view key, std::string_view nonce, std::string_view plain,
                      std::string_view context) {
  const cipher c{EVP_CIPHER_CTX_new()};
  std::string out(plain.size() + tag_bytes, '\0');
  auto* const at = reinterpret_cast<unsigned char*>(out.data());
  int length = 0;
  const bool made =
      c && EVP_EncryptInit_ex(c.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(nonce))
      && EVP_EncryptUpdate(c.get(), nullptr, &length, bytes_of(context),
                           static_cast<int>(context.size()))
      && EVP_EncryptUpdate(c.get(), at, &length, bytes_of(plain), static_cast<int>(plain.size()))
      && EVP_EncryptFinal_ex(c.get(), at + plain.size(), &length)
      && EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes, at + plain.size());
  return made ? out : std::string{};
}

std::optional<std::string> decrypted(std::string_view key, std::string_view nonce,
                                     std::string_view bytes, std::string_view context) {
  if (nonce.size() != nonce_bytes || bytes.size() < tag_bytes) return std::nullopt;
  const auto text = bytes.substr(0, bytes.size() - tag_bytes);
  std::string tag{bytes.substr(text.size())};
  const cipher c{EVP_CIPHER_CTX_new()};
  std::string out(text.size() + 1, '\0'); // one more: there is a place to write to, always
  auto* const at = reinterpret_cast<unsigned char*>(out.data());
  int length = 0;
  const bool opened =
      c && EVP_DecryptInit_ex(c.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key), bytes_of(nonce))
      && EVP_DecryptUpdate(c.get(), nullptr, &length, bytes_of(context),
                           static_cast<int>(context.size()))
      && EVP_DecryptUpdate(c.get(), at, &length, bytes_of(text), static_cast<int>(text.size()))
      && EVP_CIPHER_CTX_ctrl(c.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes, tag.data())
      && EVP_DecryptFinal_ex(c.get(), at + text.size(), &length) > 0;
  if (!opened) return std::nullopt;
  out.resize(text.size());
  return out;
}

} // namespace

result<seal_ring> seal_ring::read(std::string_view file_text) {
  seal_ring ring;
  for (int number = 1; !file_text.empty(); ++number) {
    const auto end = file_text.find('\n');
    auto line = file_text.substr(0, end);
    file_text = end == std::string_view::npos ? std::string_view{} : file_text.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const auto where = "line " + std::to_string(number) + ": "; // and never what stands there
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return bad(where + "name:base64 is expected");
    const std::string name{line.substr(0, colon)};
    if (!is_key_name(name))
      return bad(where + "a name has 1 to 64 letters, digits, dots, dashes or underscores");
    auto key = base64_bytes(line.substr(colon + 1));
    if (!key || key->size() != key_bytes) return bad(where + "base64 of 32 bytes is expected");
    for (const auto& [known, bytes] : ring.keys_)
      if (known == name) return bad(where + "the name was given before");
    ring.keys_.emplace_back(name, std::move(*key));
  }
  return ring;
}

std::string seal_ring::new_line(std::string_view name) {
  const auto key = random_bytes(key_bytes);
  if (key.empty() || !is_key_name(name)) return {};
  return std::string{name} + ":" + base64(key) + "\n";
}

result<std::string> seal_ring::seal(std::string_view plain, std::string_view context) const {
  if (keys_.empty()) return bad("there is no sealing key");
  const auto& [name, key] = keys_.front();
  const auto nonce = random_bytes(nonce_bytes);
  const auto bytes = nonce.empty() ? nonce : encrypted(key, nonce, plain, context);
  if (bytes.empty()) return failure{errc::internal, "sealing"};
  return name + ":" + base64(nonce) + ":" + base64(bytes);
}

result<std::string> seal_ring::open(std::string_view sealed, std::string_view context) const {
  const auto name = name_of(sealed);
  const auto key =
      std::find_if(keys_.begin(), keys_.end(), [&](const auto& one) { return one.first == name; });
  if (key == keys_.end()) return bad("sealed under a key that is not in the key file");
  auto rest = sealed.substr(std::min(sealed.size(), name.size() + 1));
  const auto colon = rest.find(':');
  if (colon == std::string_view::npos) return bad("not a sealed text");
  const auto nonce = base64_bytes(rest.substr(0, colon));
  const auto bytes = base64_bytes(rest.substr(colon + 1));
  auto plain = nonce && bytes ? decrypted(key->second, *nonce, *bytes, context) : std::nullopt;
  if (!plain) return bad("not sealed under this key for this place");
  return std::move(*plain);
}

bool seal_ring::is_current(std::string_view sealed) const {
  return !keys_.empty() && keys_.front().first == name_of(sealed);
}

} // namespace arauto::storage
