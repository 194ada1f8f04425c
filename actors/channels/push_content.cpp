#include "actors/channels/push_content.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <openssl/sha.h>

#include "storage/model/base64.hpp"
#include "storage/model/json.hpp"
#include "storage/model/text.hpp"

namespace arauto::channels {

namespace {

using nlohmann::json;

constexpr std::string_view ellipsis = "\xE2\x80\xA6";

// Strings of the outer object as they are, everything else as it was written.
class data_reader : public nlohmann::json_sax<json> {
public:
  std::map<std::string, std::string> members;

  bool null() override { return scalar("", "null"); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  // Only numbers with a minus come here, so a zero was written as -0.
  bool number_integer(number_integer_t value) override {
    return scalar(value == 0 ? "-0" : std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& written) override { return scalar(written); }
  bool string(string_t& value) override { return scalar(value, json(value).dump()); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open('{', '}'); }
  bool start_array(std::size_t) override { return open('[', ']'); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (!levels_.back().names.emplace(name, 0).second) return false;
    if (levels_.size() == 1) return name_ = name, !name.empty();
    separate();
    inner_ += json(name).dump() + ":";
    levels_.back().named = true;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

private:
  struct level {
    char end;
    bool first = true;
    bool named = false; // the comma stands before the name
    std::map<std::string, int> names;
  };

  void separate() {
    auto& here = levels_.back();
    if (std::exchange(here.named, false)) return;
    if (!std::exchange(here.first, false)) inner_ += ',';
  }

  bool scalar(const std::string& value) { return scalar(value, value); }
  bool scalar(const std::string& value, const std::string& written) {
    if (levels_.empty()) return false;
    if (levels_.size() == 1) return members[name_] = value, true;
    separate();
    inner_ += written;
    return true;
  }

  bool open(char begin, char end) {
    if (levels_.empty() && begin != '{') return false;
    if (levels_.size() >= json_limits{}.depth_max) return false;
    if (levels_.size() > 1) separate();
    if (!levels_.empty()) inner_ += begin;
    levels_.push_back({end, true, false, {}});
    return true;
  }

  bool close() {
    const auto end = levels_.back().end;
    levels_.pop_back();
    if (levels_.empty()) return true;
    inner_ += end;
    if (levels_.size() == 1) members[name_] = std::exchange(inner_, {});
    return true;
  }

  std::vector<level> levels_;
  std::string name_, inner_;
};

const std::string& text_of(const message& what, std::string_view name) {
  static const std::string none;
  const auto found = std::find_if(what.parts.begin(), what.parts.end(),
                                  [&](const part& each) { return each.name == name; });
  return found == what.parts.end() ? none : found->text;
}

// A template may show a link or none, depending on its variables.
bool is_link(std::string_view text) {
  const auto begins = [&](std::string_view scheme) {
    return text.size() > scheme.size()
           && std::equal(scheme.begin(), scheme.end(), text.begin(),
                         [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + 32 : b); });
  };
  return (begins("https://") || begins("http://")) && !has_control(text)
         && text.find_first_of(" <>\"\\") == text.npos;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

// At most `bytes` of it, whole characters only.
std::string_view beginning(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U)
    --bytes;
  return text.substr(0, bytes);
}

std::string digest_of(const message& what, std::string_view purpose) {
  const auto name = std::string{purpose} + '\n' + what.key.event.text + '\n'
                    + std::string{spelled(what.key.via)} + '\n' + what.target.device_id;
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(name.data()), name.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

// The longest beginning of `part` with which the whole fits; false when not even none of it does.
bool shorten(push_content& what, std::string push_content::*part, std::size_t bytes_max,
             const std::function<std::size_t(const push_content&)>& size) {
  const auto whole = what.*part;
  const auto fits = [&](std::size_t bytes) {
    const auto kept = beginning(whole, bytes);
    what.*part = kept.empty() ? std::string{} : std::string{kept}.append(ellipsis);
    return size(what) <= bytes_max;
  };
  if (!fits(0)) return false;
  std::size_t good = 0;
  std::size_t bad = whole.size();
  while (bad - good > 1) {
    const auto middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return fits(good);
}

} // namespace

std::optional<std::map<std::string, std::string>> read_push_data(std::string_view text) {
  data_reader reader;
  if (!json::sax_parse(text.begin(), text.end(), &reader)) return std::nullopt;
  return std::move(reader.members);
}

result<push_content> read_push(const message& what) {
  const auto bad = [](const char* word) { return failure{errc::bad_input, word}; };
  push_content made;
  made.title = text_of(what, "title");
  made.body = text_of(what, "body");
  made.image = trimmed(text_of(what, "image"));
  made.link = trimmed(text_of(what, "link"));
  if (made.title.empty() && made.body.empty()) return bad("text_missing");
  if (!is_utf8(made.title) || !is_utf8(made.body)) return bad("not_utf8");
  if (!made.image.empty() && !is_link(made.image)) return bad("image_unusable");
  if (!made.link.empty() && !is_link(made.link)) return bad("link_unusable");
  const auto& data = text_of(what, "data");
  if (data.find_first_not_of(" \t\r\n") != data.npos) {
    auto read = read_push_data(data);
    if (!read) return bad("data_unusable");
    made.data = std::move(*read);
  }
  if (made.data.count(std::string{event_id_key}) != 0) return bad("data_key_reserved");
  made.data.emplace(event_id_key, what.key.event.text);
  made.tag = collapse_identity(what);
  return made;
}

result<done> fit_push(push_content& what, std::size_t bytes_max,
                      const std::function<std::size_t(const push_content&)>& size) {
  if (size(what) <= bytes_max || shorten(what, &push_content::body, bytes_max, size)
      || (shorten(what, &push_content::title, bytes_max, size)
          && !(what.title.empty() && what.body.empty())))
    return done{};
  return failure{errc::bad_input, "too_large"};
}

std::int64_t push_life_s(const message& what) {
  if (what.expires_in_ms < 0) return push_life_s_max;
  return std::min(what.expires_in_ms / 1'000, push_life_s_max);
}

std::string collapse_identity(const message& what) {
  return base64url(digest_of(what, "collapse").substr(0, 24));
}

std::string push_uuid(const message& what) {
  auto bytes = digest_of(what, "uuid").substr(0, 16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x80);
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);
  static constexpr char hex[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    if (text.size() == 8 || text.size() == 13 || text.size() == 18 || text.size() == 23)
      text += '-';
    text += hex[static_cast<unsigned char>(c) >> 4];
    text += hex[static_cast<unsigned char>(c) & 0x0F];
  }
  return text;
}

} // namespace arauto::channels
