#include "actors/channels/mime.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <gmime/gmime.h>

#include "actors/channels/header_text.hpp"
#include "storage/model/text.hpp"

namespace arauto::channels {

namespace {

constexpr std::size_t event_bytes_max = 64;
constexpr std::size_t headers_bytes_usual = 1'024;

failure bad(const char* word) {
  return failure{errc::bad_input, word};
}

bool fits_a_header(std::string_view text) {
  return is_utf8(text) && !has_control(text);
}

const std::string* part_named(const message& what, std::string_view name) {
  for (const auto& each : what.parts)
    if (each.name == name) return &each.text;
  return nullptr;
}

std::string date_line(std::chrono::system_clock::time_point now) {
  using date_ptr = std::unique_ptr<GDateTime, decltype(&g_date_time_unref)>;
  const date_ptr date{g_date_time_new_from_unix_utc(std::chrono::system_clock::to_time_t(now)),
                      &g_date_time_unref};
  const std::unique_ptr<char, decltype(&g_free)> text{g_mime_utils_header_format_date(date.get()),
                                                      &g_free};
  return std::string{"Date: "}.append(text.get()).append("\r\n");
}

std::string with_lf_only(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] != '\r' || at + 1 == text.size() || text[at + 1] != '\n') plain += text[at];
  return plain;
}

void append_with_crlf(std::string& to, std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == text.npos) {
      to.append(text);
      return;
    }
    to.append(text.substr(0, end)).append("\r\n");
    text.remove_prefix(end + 1);
  }
}

// A carriage return that ends no line is kept, as =0D. GMime's filters and streams do the same work
// some twenty times slower than its bare encoder.
void append_quoted_printable(std::string& to, std::string_view text) {
  const auto lines = text.find('\r') == text.npos ? std::string{} : with_lf_only(text);
  if (!lines.empty()) text = lines;
  GMimeEncoding encoder;
  g_mime_encoding_init_encode(&encoder, GMIME_CONTENT_ENCODING_QUOTEDPRINTABLE);
  const std::unique_ptr<char[]> room{new char[g_mime_encoding_outlen(&encoder, text.size())]};
  const auto bytes = g_mime_encoding_flush(&encoder, text.data(), text.size(), room.get());
  append_with_crlf(to, {room.get(), bytes});
}

void append_part(std::string& to, const char* subtype, std::string_view text) {
  to.append("Content-Type: text/").append(subtype).append("; charset=utf-8\r\n");
  to.append("Content-Transfer-Encoding: quoted-printable\r\n\r\n");
  append_quoted_printable(to, text);
}

// "=_" cannot occur in quoted-printable text, so no body can contain the boundary.
void append_alternative(std::string& to, const std::string& name, std::string_view text,
                        std::string_view html) {
  const auto boundary = "=_" + name;
  to.append("Content-Type: multipart/alternative; boundary=\"").append(boundary).append("\"\r\n");
  to.append("\r\n--").append(boundary).append("\r\n");
  append_part(to, "plain", text);
  to.append("\r\n--").append(boundary).append("\r\n");
  append_part(to, "html", html);
  to.append("\r\n--").append(boundary).append("--\r\n");
}

void append_single(std::string& to, const char* subtype, std::string_view text) {
  append_part(to, subtype, text);
  if (to.compare(to.size() - 2, 2, "\r\n") != 0) to.append("\r\n");
}

struct sender {
  email_address address;
  std::string from_line;
};

// The tenant's own address comes with the tenant's own name or none: never with the account's.
result<sender> sender_of(const message& what, const mail_account& account) {
  if (what.sender_address.empty() && what.sender_name.empty())
    return sender{account.sender, account.from_line};
  if (!fits_a_header(what.sender_name)) return bad("header_unsafe");
  auto address = what.sender_address.empty() ? result<email_address>{account.sender}
                                             : parse_address(what.sender_address);
  if (!address) return bad("sender_unusable");
  auto line = mailbox_line("From", what.sender_name, address->as_sent);
  return sender{std::move(*address), std::move(line)};
}

} // namespace

result<std::string> delivery_name(const delivery_key& key) {
  const auto& event = key.event.text;
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  if (event.empty() || event.size() > event_bytes_max
      || !std::all_of(event.begin(), event.end(), plain))
    return bad("header_unsafe");
  return event + "." + to_string(key.via);
}

result<mail_account> make_mail_account(std::string_view sender_address,
                                       std::string_view sender_name,
                                       std::string_view message_id_domain) {
  const auto sender = parse_address(sender_address);
  if (!sender) return bad("address_unusable");
  if (!fits_a_header(sender_name)) return bad("header_unsafe");
  const auto written = message_id_domain.empty()
                           ? sender
                           : parse_address(std::string{"id@"}.append(message_id_domain));
  if (!written) return bad("header_unsafe");
  return mail_account{*sender, mailbox_line("From", sender_name, sender->as_sent),
                      written->as_sent.substr(written->as_sent.rfind('@') + 1)};
}

result<composed> compose_mail(const message& what, const mail_account& account,
                              std::chrono::system_clock::time_point now) {
  if (what.key.via != channel::email) return bad("wrong_channel");
  const auto name = delivery_name(what.key);
  if (!name) return name.why();
  const auto to = parse_address(what.to_address);
  if (!to) return bad("address_unusable");
  const auto from = sender_of(what, account);
  if (!from) return from.why();

  const auto* subject = part_named(what, "subject");
  const auto* text = part_named(what, "text");
  const auto* html = part_named(what, "html");
  if (subject == nullptr) return bad("subject_missing");
  if (text == nullptr && html == nullptr) return bad("body_missing");
  if (!fits_a_header(*subject) || !fits_a_header(what.to_name)) return bad("header_unsafe");
  for (const auto* body : {text, html})
    if (body != nullptr && !is_utf8(*body)) return bad("body_not_utf8");

  composed made;
  made.key = what.key;
  made.from = from->address.as_sent;
  made.to = to->as_sent;
  made.needs_utf8 = to->needs_utf8 || from->address.needs_utf8;
  auto& bytes = made.bytes;
  const auto body_bytes = (text ? text->size() : 0) + (html ? html->size() : 0);
  bytes.reserve(headers_bytes_usual + body_bytes + body_bytes / 4);
  bytes.append(date_line(now)).append(from->from_line);
  bytes.append(mailbox_line("To", what.to_name, made.to)).append(text_line("Subject", *subject));
  bytes.append("Message-ID: <").append(*name).append("@").append(account.message_id_domain);
  bytes.append(">\r\nMIME-Version: 1.0\r\nAuto-Submitted: auto-generated\r\n");
  if (text != nullptr && html != nullptr)
    append_alternative(bytes, *name, *text, *html);
  else
    append_single(bytes, text != nullptr ? "plain" : "html", text != nullptr ? *text : *html);
  return made;
}

} // namespace arauto::channels
