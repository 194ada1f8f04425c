// The table from SMTP's words to ours, row by row (S26).
#include <boost/test/unit_test.hpp>

#include "actors/channels/smtp_outcome.hpp"
#include "actors/channels/smtp_transaction.hpp"
#include "storage/model/text.hpp"

using namespace arauto;
using namespace arauto::channels;

namespace {

smtp_reply reply_of(int code, const std::string& enhanced) {
  return {code, enhanced, enhanced.empty() ? "words" : enhanced + " words"};
}

struct row {
  smtp_stage stage;
  int code;
  const char* enhanced;
  verdict said;
  const char* cause;
};

constexpr auto greeting = smtp_stage::greeting;
constexpr auto hello = smtp_stage::hello;
constexpr auto starttls = smtp_stage::starttls;
constexpr auto auth = smtp_stage::auth;
constexpr auto mail = smtp_stage::mail;
constexpr auto rcpt = smtp_stage::rcpt;
constexpr auto data = smtp_stage::data;
constexpr auto content = smtp_stage::content;
constexpr auto answer = smtp_stage::answer;

const row table[] = {
    {greeting, 421, "", verdict::not_begun, "provider_not_ready"},
    {greeting, 554, "5.7.1", verdict::account_refused, "greeting_refused"},
    {hello, 421, "4.3.2", verdict::not_begun, "provider_not_ready"},
    {hello, 550, "", verdict::account_refused, "greeting_refused"},
    {starttls, 454, "4.7.0", verdict::not_begun, "tls_not_ready"},
    {starttls, 502, "5.5.1", verdict::account_refused, "tls_not_offered"},
    {auth, 454, "4.7.0", verdict::not_begun, "auth_not_ready"},
    {auth, 421, "4.7.0", verdict::not_begun, "auth_not_ready"},
    {auth, 535, "5.7.8", verdict::account_refused, "auth_refused"},
    {auth, 530, "", verdict::account_refused, "auth_refused"},
    {auth, 334, "", verdict::not_begun, "odd_reply"},

    {mail, 421, "4.7.0", verdict::refused_for_now, "provider_closing"},
    {mail, 450, "4.2.0", verdict::refused_for_now, "greylisted"},
    {rcpt, 450, "4.2.0", verdict::refused_for_now, "greylisted"},
    {rcpt, 451, "4.7.1", verdict::refused_for_now, "greylisted"},
    {rcpt, 451, "4.3.0", verdict::refused_for_now, "provider_busy"},
    {rcpt, 452, "4.2.2", verdict::refused_for_now, "mailbox_full"},
    {rcpt, 452, "4.5.3", verdict::refused_for_now, "provider_full"},
    {rcpt, 499, "", verdict::refused_for_now, "provider_busy"},
    {data, 451, "", verdict::refused_for_now, "provider_busy"},
    {answer, 421, "", verdict::refused_for_now, "provider_closing"},
    {answer, 452, "4.3.1", verdict::refused_for_now, "provider_full"},

    {rcpt, 550, "5.1.1", verdict::bad_address, "recipient_unknown"},
    {rcpt, 550, "5.1.2", verdict::bad_address, "recipient_unknown"},
    {rcpt, 553, "5.1.3", verdict::bad_address, "recipient_unknown"},
    {rcpt, 551, "5.1.6", verdict::bad_address, "recipient_unknown"},
    {rcpt, 550, "5.1.10", verdict::bad_address, "recipient_unknown"},
    {rcpt, 550, "5.2.1", verdict::bad_address, "recipient_unknown"},
    {rcpt, 550, "", verdict::refused, "recipient_refused"},
    {rcpt, 554, "5.1.1", verdict::refused, "recipient_refused"},
    {rcpt, 550, "5.1.8", verdict::refused, "recipient_refused"},
    {mail, 550, "5.1.1", verdict::refused, "sender_refused"},
    {answer, 550, "5.1.1", verdict::refused, "content_refused"},

    {rcpt, 552, "5.2.2", verdict::refused, "mailbox_full"},
    {rcpt, 552, "", verdict::refused, "mailbox_full"},
    {mail, 552, "5.3.4", verdict::refused, "too_large"},
    {mail, 552, "", verdict::refused, "too_large"},
    {answer, 552, "5.2.3", verdict::refused, "too_large"},
    {content, 552, "5.3.4", verdict::refused, "too_large"},
    {mail, 554, "5.7.1", verdict::refused, "policy_refused"},
    {rcpt, 554, "5.7.1", verdict::refused, "policy_refused"},
    {answer, 554, "5.7.1", verdict::refused, "policy_refused"},
    {data, 554, "5.5.1", verdict::refused, "content_refused"},
    {mail, 530, "5.7.0", verdict::account_refused, "auth_refused"},
    {rcpt, 530, "5.7.1", verdict::account_refused, "auth_refused"},

    {answer, 250, "2.0.0", verdict::accepted, ""},
    {answer, 251, "", verdict::accepted, ""},
    {answer, 354, "", verdict::unknown, "odd_reply"},
    {content, 250, "", verdict::refused_for_now, "odd_reply"},
    {mail, 354, "", verdict::refused_for_now, "odd_reply"},
    {data, 250, "", verdict::refused_for_now, "odd_reply"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(smtp_outcomes)

BOOST_AUTO_TEST_CASE(every_reply_has_its_verdict_and_cause) {
  for (const auto& [stage, code, enhanced, said, cause] : table) {
    const auto made = outcome_of(stage, reply_of(code, enhanced));
    BOOST_TEST_CONTEXT(static_cast<int>(stage) << " " << code << " " << enhanced) {
      BOOST_TEST(spelled(made.said) == spelled(said));
      BOOST_TEST(made.cause == cause);
      BOOST_TEST(made.code == code);
      BOOST_TEST(made.retry_after.count() == 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_end_without_a_reply_means_what_the_stage_says) {
  for (const auto trouble : {smtp_trouble::lost, smtp_trouble::timed_out, smtp_trouble::trust_ended,
                             smtp_trouble::nonsense, smtp_trouble::stopping}) {
    for (const auto stage : {smtp_stage::connecting, greeting, hello, starttls, auth, mail})
      BOOST_TEST((outcome_of(stage, trouble).said == verdict::not_begun));
    for (const auto stage : {rcpt, data, content}) {
      BOOST_TEST((outcome_of(stage, trouble).said == verdict::refused_for_now));
      BOOST_TEST(outcome_of(stage, trouble).cause == "lost_before_content_end");
    }
    BOOST_TEST((outcome_of(answer, trouble).said == verdict::unknown));
    BOOST_TEST(outcome_of(answer, trouble).cause == "lost_answer");
  }
}

BOOST_AUTO_TEST_CASE(the_providers_words_are_kept_short_and_whole) {
  auto reply = reply_of(250, "2.0.0");
  reply.text = "2.0.0 Ok: queued as 4F2\nbye";
  BOOST_TEST(outcome_of(answer, reply).provider_ref == "Ok: queued as 4F2");
  reply.text = std::string(499, 'x') + "é and \xFF\x01 more";
  const auto detail = outcome_of(answer, reply).detail;
  BOOST_TEST(detail.size() <= 500u);
  BOOST_TEST(is_utf8(detail));
  BOOST_TEST(outcome_of(rcpt, reply_of(550, "5.1.1")).provider_ref == "");
}

BOOST_AUTO_TEST_CASE(words_in_the_middle_of_the_content_end_the_connection) {
  for (const auto code : {250, 354, 452, 552}) {
    smtp_transaction talk{composed{}, 0, smtp_offer{}};
    for (const auto good : {250, 250, 354})
      talk.take(reply_of(good, ""));
    BOOST_TEST((talk.stage() == content));
    const auto next = talk.take(reply_of(code, ""));
    BOOST_TEST((next.what == smtp_transaction::act::end_cut));
    BOOST_TEST((next.said.said != verdict::accepted));
  }
}

// S24
BOOST_AUTO_TEST_CASE(dots_at_line_starts_are_doubled_and_the_last_one_is_not) {
  BOOST_TEST(content_with_dot("") == "\r\n.\r\n");
  BOOST_TEST(content_with_dot("a\r\n") == "a\r\n.\r\n");
  BOOST_TEST(content_with_dot("a") == "a\r\n.\r\n");
  BOOST_TEST(content_with_dot(".") == "..\r\n.\r\n");
  BOOST_TEST(content_with_dot(".\r\n") == "..\r\n.\r\n");
  BOOST_TEST(content_with_dot("\r\n.\r\n..\r\n.x\r\ny.\r\n")
             == "\r\n..\r\n...\r\n..x\r\ny.\r\n.\r\n");
  std::string dots, doubled;
  for (int n = 0; n < 300'000; ++n) {
    dots += ".\r\n";
    doubled += "..\r\n";
  }
  BOOST_TEST((content_with_dot(dots) == doubled + ".\r\n")); // and not in quadratic time
}

BOOST_AUTO_TEST_SUITE_END()
