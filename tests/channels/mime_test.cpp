// E-mail as a stranger's parser reads it (S22, S23, S24, S29).
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "actors/channels/header_text.hpp"
#include "actors/channels/mime.hpp"
#include "tests/support/mail_oracle.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace std::string_literals;
using tests::read_mail;
using tests::read_mails;
using tests::with_lf;

namespace {

const auto noon = std::chrono::system_clock::from_time_t(1'700'000'000);

mail_account shop() {
  return *make_mail_account("no-reply@loja.example", "Loja", "mail.loja.example");
}

message invoice() {
  message made;
  made.key = {{"0190a0b0-1234-7abc-8def-0123456789ab"}, channel::email};
  made.to_address = "ana@example.com";
  made.to_name = "Ana";
  made.parts = {{"subject", "Invoice"}, {"text", "Hello\n"}, {"html", "<p>Hello</p>\n"}};
  return made;
}

std::string composed_bytes(const message& what) {
  auto made = compose_mail(what, shop(), noon);
  BOOST_TEST_REQUIRE(static_cast<bool>(made));
  return made->bytes;
}

std::string refusal(const message& what) {
  const auto made = compose_mail(what, shop(), noon);
  if (made) return "";
  BOOST_TEST((made.error() == errc::bad_input));
  return made.why().text;
}

// What RFC 5322 and RFC 5321 demand of every byte we write.
bool is_clean_on_the_wire(const std::string& bytes) {
  std::size_t line = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto c = static_cast<unsigned char>(bytes[at]);
    if (c == '\r' && (at + 1 == bytes.size() || bytes[at + 1] != '\n')) return false;
    if (c == '\n' && (at == 0 || bytes[at - 1] != '\r')) return false;
    if (c > 126 || (c < 32 && c != '\r' && c != '\n' && c != '\t')) return false;
    line = c == '\n' ? 0 : line + 1;
    if (line > 999) return false;
  }
  return bytes.size() > 1 && bytes.compare(bytes.size() - 2, 2, "\r\n") == 0;
}

} // namespace

BOOST_AUTO_TEST_SUITE(mime)

BOOST_AUTO_TEST_CASE(a_reader_finds_both_bodies_and_every_header_once) {
  const auto made = compose_mail(invoice(), shop(), noon);
  BOOST_TEST_REQUIRE(static_cast<bool>(made));
  BOOST_TEST(made->from == "no-reply@loja.example");
  BOOST_TEST(made->to == "ana@example.com");
  BOOST_TEST(!made->needs_utf8);
  auto seen = read_mail(made->bytes);
  BOOST_TEST(seen["defects"] == "");
  BOOST_TEST(seen["headers"]
             == "Date From To Subject Message-ID MIME-Version Auto-Submitted Content-Type");
  BOOST_TEST(seen["date"] == "1700000000");
  BOOST_TEST(seen["from_name"] == "Loja");
  BOOST_TEST(seen["from_address"] == "no-reply@loja.example");
  BOOST_TEST(seen["to_name"] == "Ana");
  BOOST_TEST(seen["message_id"]
             == "<0190a0b0-1234-7abc-8def-0123456789ab.email@mail.loja.example>");
  BOOST_TEST(seen["auto_submitted"] == "auto-generated");
  BOOST_TEST(with_lf(seen["plain"]) == "Hello\n");
  BOOST_TEST(with_lf(seen["html"]) == "<p>Hello</p>\n");
}

BOOST_AUTO_TEST_CASE(every_attempt_of_a_delivery_has_the_same_message_id) {
  auto first = read_mail(composed_bytes(invoice()));
  auto later = compose_mail(invoice(), shop(), noon + std::chrono::hours{9});
  BOOST_TEST(first["message_id"] == read_mail(later->bytes)["message_id"]);
}

BOOST_AUTO_TEST_CASE(the_tenants_own_sender_does_not_wear_the_accounts_name) {
  auto what = invoice();
  what.sender_address = "news@Norte.example";
  const auto made = compose_mail(what, shop(), noon);
  BOOST_TEST(made->from == "news@norte.example");
  auto seen = read_mail(made->bytes);
  BOOST_TEST(seen["from_name"] == "");
  BOOST_TEST(seen["from_address"] == "news@norte.example");
  what.sender_address = "not an address";
  BOOST_TEST(refusal(what) == "sender_unusable");
}

// S22
BOOST_AUTO_TEST_CASE(a_control_character_never_reaches_a_header) {
  const std::string injections[] = {"x\r\nBcc: evil@example.net",
                                    "x\nBcc: evil@example.net",
                                    "x\rBcc: evil@example.net",
                                    "x\r\n\r\nbody",
                                    "x\xE2\x80\xA8y",
                                    "x\xC2\x85y",
                                    "x\x0by",
                                    "x\0y"s};
  for (const auto& bad : injections) {
    auto what = invoice();
    what.parts[0].text = bad;
    BOOST_TEST(refusal(what) == "header_unsafe");
    what = invoice();
    what.to_name = bad;
    BOOST_TEST(refusal(what) == "header_unsafe");
    what = invoice();
    what.sender_name = bad;
    BOOST_TEST(refusal(what) == "header_unsafe");
    what = invoice();
    what.key.event.text = bad;
    BOOST_TEST(refusal(what) == "header_unsafe");
    BOOST_TEST(make_mail_account("a@b.example", bad, "").why().text == "header_unsafe");
    BOOST_TEST(make_mail_account("a@b.example", "", bad).why().text == "header_unsafe");
  }
}

// S22
BOOST_AUTO_TEST_CASE(an_address_cannot_carry_a_second_recipient) {
  for (const auto* bad : {"a@example.com>\r\nRCPT TO:<evil@example.net", "a@b.example,c@d.example",
                          "<a@b.example>", "a b@c.example", ""}) {
    auto what = invoice();
    what.to_address = bad;
    BOOST_TEST(refusal(what) == "address_unusable");
  }
}

// S22
BOOST_AUTO_TEST_CASE(text_that_looks_encoded_is_shown_as_it_was_written) {
  for (const auto* tricky :
       {"=?utf-8?q?a=0D=0ABcc:_evil@example.net?=", "=?", "a =?utf-8?b?eA==?="}) {
    auto what = invoice();
    what.parts[0].text = tricky;
    what.to_name = tricky;
    auto seen = read_mail(composed_bytes(what));
    BOOST_TEST(seen["subject"] == tricky);
    BOOST_TEST(seen["to_name"] == tricky);
    BOOST_TEST(seen["to_count"] == "1");
  }
}

// S23
BOOST_AUTO_TEST_CASE(any_name_is_one_mailbox_with_that_name) {
  std::vector<std::string> names{"Silva, Ana",
                                 "Suporte (Cobrança)",
                                 "Zoë \"Z\" O'Neil",
                                 "a@b.example",
                                 "Loja: Norte; Sul",
                                 "back\\",
                                 "<x>",
                                 std::string(300, 'n'),
                                 "🎉🎊✨",
                                 "",
                                 "   ",
                                 " Ana ",
                                 "李雷",
                                 "a, b <c@d.example>",
                                 "José da Silva e Albuquerque de Vasconcelos Magalhães Ação"};
  std::vector<std::string> messages;
  for (const auto& name : names) {
    auto what = invoice();
    what.to_name = name;
    what.sender_name = name;
    messages.push_back(composed_bytes(what));
    BOOST_TEST(is_clean_on_the_wire(messages.back()));
  }
  auto seen = read_mails(messages);
  for (std::size_t n = 0; n < names.size(); ++n) {
    BOOST_TEST(seen[n]["to_count"] == "1");
    BOOST_TEST(seen[n]["to_name"] == names[n]);
    BOOST_TEST(seen[n]["to_address"] == "ana@example.com");
    BOOST_TEST(seen[n]["from_count"] == "1");
    BOOST_TEST(seen[n]["from_name"] == (names[n].empty() ? "Loja" : names[n]));
  }
}

// S22, S23
BOOST_AUTO_TEST_CASE(chance_finds_no_subject_or_name_that_is_read_differently) {
  const std::string alphabet[] = {"a",
                                  "b",
                                  " ",
                                  " ",
                                  "é",
                                  "🎉",
                                  "=",
                                  "?",
                                  ",",
                                  "\"",
                                  "(",
                                  ")",
                                  "\\",
                                  "<",
                                  "@",
                                  ".",
                                  "_",
                                  "~",
                                  ";",
                                  "word",
                                  "日本語日本語",
                                  "averyveryverylongwordaveryveryverylongword"};
  std::mt19937 chance{20};
  std::vector<std::string> texts, messages;
  for (int n = 0; n < 400; ++n) {
    std::string text;
    for (auto pieces = 1 + chance() % (n % 20 == 0 ? 400 : 40); pieces > 0; --pieces)
      text += alphabet[chance() % std::size(alphabet)];
    auto what = invoice();
    what.parts[0].text = text;
    what.to_name = text;
    texts.push_back(text);
    messages.push_back(composed_bytes(what));
    BOOST_TEST(is_clean_on_the_wire(messages.back()));
  }
  auto seen = read_mails(messages);
  for (std::size_t n = 0; n < texts.size(); ++n) {
    BOOST_TEST(seen[n]["subject"] == texts[n]);
    BOOST_TEST(seen[n]["to_name"] == texts[n]);
    BOOST_TEST(seen[n]["to_count"] == "1");
  }
}

// S24
BOOST_AUTO_TEST_CASE(the_text_received_is_the_text_sent) {
  std::string emoji, url{"https://example.com/"};
  for (int n = 0; n < 5'000; ++n)
    emoji += "🎉";
  for (int n = 0; n < 100; ++n)
    url += "..a/.";
  const std::vector<std::string> bodies{std::string(20'000, 'x'),
                                        emoji,
                                        ".\n.test\n..two",
                                        ".",
                                        url,
                                        "a\n.\r\nb",
                                        "\r.\r",
                                        "one\r\ntwo\nthree\rfour\n",
                                        "blanks  \t\n tabs\t",
                                        "From here",
                                        "--=_0190a0b0-1234-7abc-8def-0123456789ab.email\n",
                                        "\n",
                                        "\n\n\n",
                                        "nul \0 and escape \x1b"s,
                                        "a=3Db",
                                        "Olá\n",
                                        "no final newline"};
  std::vector<std::string> messages;
  for (const auto& body : bodies) {
    auto what = invoice();
    what.parts[1].text = body;
    what.parts[2].text = "<pre>" + body + "</pre>";
    messages.push_back(composed_bytes(what));
    BOOST_TEST(is_clean_on_the_wire(messages.back()));
  }
  auto seen = read_mails(messages);
  for (std::size_t n = 0; n < bodies.size(); ++n) {
    BOOST_TEST(seen[n]["defects"] == "");
    BOOST_TEST((with_lf(seen[n]["plain"]) == with_lf(bodies[n])), "body " << n);
    BOOST_TEST((with_lf(seen[n]["html"]) == with_lf("<pre>" + bodies[n] + "</pre>")), "body " << n);
  }
}

// S24
BOOST_AUTO_TEST_CASE(a_single_body_ends_in_a_newline_and_is_otherwise_as_sent) {
  for (const auto& [name, field] : {std::pair{"text", "plain"}, {"html", "html"}}) {
    auto what = invoice();
    what.parts = {{"subject", "s"}, {name, ".no newline "}};
    auto seen = read_mail(composed_bytes(what));
    BOOST_TEST(with_lf(seen[field]) == ".no newline ");
    what.parts[1].text = "plain end";
    BOOST_TEST(with_lf(read_mail(composed_bytes(what))[field]) == "plain end\n");
    what.parts[1].text = "";
    BOOST_TEST(is_clean_on_the_wire(composed_bytes(what)));
  }
}

BOOST_AUTO_TEST_CASE(a_message_without_subject_or_body_is_refused) {
  auto what = invoice();
  what.parts = {{"text", "x"}};
  BOOST_TEST(refusal(what) == "subject_missing");
  what.parts = {{"subject", "x"}};
  BOOST_TEST(refusal(what) == "body_missing");
  what.parts = {{"subject", "x"}, {"text", "\xFF"}};
  BOOST_TEST(refusal(what) == "body_not_utf8");
  what = invoice();
  what.key.via = channel::push;
  BOOST_TEST(refusal(what) == "wrong_channel");
}

// S29
BOOST_AUTO_TEST_CASE(only_a_local_part_beyond_ascii_needs_smtputf8) {
  struct row {
    const char* written;
    const char* sent;
    bool needs_utf8;
  };
  for (const auto& [written, sent, needs_utf8] :
       {row{"ana@exämple.com", "ana@xn--exmple-cua.com", false},
        row{"ana@EXÄMPLE.com", "ana@xn--exmple-cua.com", false},
        row{"josé@example.com", "josé@example.com", true},
        row{"用户@例子.example", "用户@xn--fsqu00a.example", true}}) {
    auto what = invoice();
    what.to_address = written;
    what.parts[0].text = "Olá ✓";
    const auto made = compose_mail(what, shop(), noon);
    BOOST_TEST(made->to == sent);
    BOOST_TEST(made->needs_utf8 == needs_utf8);
    BOOST_TEST(read_mail(made->bytes)["to_address"] == sent);
  }
}

BOOST_AUTO_TEST_CASE(many_threads_compose_the_same_bytes) {
  auto what = invoice();
  what.to_name = "Zoë";
  what.parts[0].text = "Olá ✓ a subject that is long enough to be folded over more than one line";
  what.parts[1].text = "Olá\n";
  const auto account = shop();
  const auto expected = compose_mail(what, account, noon)->bytes;
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < 8; ++n)
    threads.emplace_back([&] {
      for (int round = 0; round < 2'000; ++round)
        different += compose_mail(what, account, noon)->bytes != expected;
    });
  for (auto& each : threads)
    each.join();
  BOOST_TEST(different == 0);
}

BOOST_AUTO_TEST_SUITE_END()
