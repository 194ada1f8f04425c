// The development port: the same message as by SMTP, in a file.
#include <chrono>
#include <filesystem>
#include <set>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "actors/channels/file_port.hpp"
#include "tests/support/mail_oracle.hpp"

using namespace arauto;
using namespace arauto::channels;
using std::chrono::seconds;
using steady = std::chrono::steady_clock;

namespace {

struct mailbox_folder {
  tests::own_directory room;
  std::string directory = room.path() + "/outbox";
  std::unique_ptr<port> out =
      std::move(*make_file_port({directory, "no-reply@loja.example", "Loja", ""},
                                [] { return std::chrono::system_clock::now(); }));

  outcome send(const std::string& body,
               steady::time_point trusted_until = steady::now() + seconds{60}) {
    message what;
    what.key = {{"0190a0b0-1234-7abc-8def-0123456789ab"}, channel::email};
    what.to_address = "ana@example.com";
    what.parts = {{"subject", "Hello"}, {"text", body}};
    outcome answer;
    out->send(*out->compose(what), trusted_until, [&](outcome o) { answer = std::move(o); });
    return answer;
  }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{directory},
                                                  std::filesystem::directory_iterator{}));
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(file_port)

BOOST_FIXTURE_TEST_CASE(a_sent_message_is_a_file_any_mail_program_reads, mailbox_folder) {
  const auto answer = send("Hi\n");
  BOOST_TEST((answer.said == verdict::accepted));
  BOOST_TEST(answer.provider_ref == "0190a0b0-1234-7abc-8def-0123456789ab.email.eml");
  auto seen = tests::read_mail(tests::file_bytes(directory + "/" + answer.provider_ref));
  BOOST_TEST(seen["subject"] == "Hello");
  BOOST_TEST(tests::with_lf(seen["plain"]) == "Hi\n");
}

BOOST_FIXTURE_TEST_CASE(a_delivery_sent_again_replaces_its_own_file, mailbox_folder) {
  send("first\n");
  const auto answer = send("second\n");
  BOOST_TEST(files() == 1u);
  auto seen = tests::read_mail(tests::file_bytes(directory + "/" + answer.provider_ref));
  BOOST_TEST(tests::with_lf(seen["plain"]) == "second\n");
}

BOOST_FIXTURE_TEST_CASE(nothing_appears_after_trust_has_ended, mailbox_folder) {
  const auto answer = send("late\n", steady::now());
  BOOST_TEST((answer.said == verdict::not_begun));
  BOOST_TEST(answer.cause == "trust_ended");
  BOOST_TEST(files() == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_directory_that_went_away_is_no_attempt, mailbox_folder) {
  std::filesystem::remove_all(directory);
  const auto answer = send("lost\n");
  BOOST_TEST((answer.said == verdict::not_begun));
  BOOST_TEST(answer.cause == "file_not_written");
}

BOOST_FIXTURE_TEST_CASE(an_identity_cannot_leave_the_directory, mailbox_folder) {
  composed what;
  what.key = {{"../../escape"}, channel::email};
  outcome answer;
  out->send(what, steady::now() + seconds{60}, [&](outcome o) { answer = std::move(o); });
  BOOST_TEST((answer.said == verdict::refused));
  BOOST_TEST(files() == 0u);
}

BOOST_AUTO_TEST_CASE(a_push_is_what_its_device_would_show_and_one_file_a_device) {
  const tests::own_directory room;
  const auto out = std::move(*make_push_file_port(room.path()));
  message what;
  what.key = {{"0190a0b0-1234-7abc-8def-0123456789ab"}, channel::push};
  what.parts = {{"title", "On its way"}, {"body", "Order A-7"}, {"data", R"({"order":7})"}};
  std::set<std::string> files;
  for (const auto* device : {"phone", "../tablet", "phone"}) {
    what.target.device_id = device;
    what.target.token = "a-token";
    outcome answer;
    out->send(*out->compose(what), steady::now() + seconds{60},
              [&](outcome o) { answer = std::move(o); });
    BOOST_TEST((answer.said == verdict::accepted));
    files.insert(answer.provider_ref);
    const auto bytes = tests::file_bytes(room.path() + "/" + answer.provider_ref);
    const auto shown = nlohmann::json::parse(bytes);
    BOOST_TEST(shown.at("device_id") == device);
    BOOST_TEST(shown.at("title") == "On its way");
    BOOST_TEST(shown.at("data").at("order") == "7");
    BOOST_TEST(bytes.find("a-token") == std::string::npos);
  }
  BOOST_TEST(files.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_file_port_without_a_directory_or_sender_is_not_made) {
  const auto now = [] { return std::chrono::system_clock::now(); };
  BOOST_TEST(make_file_port({"/proc/none", "a@b.example", "", ""}, now).why().text
             == "directory_unusable");
  BOOST_TEST(make_file_port({"/tmp", "nobody", "", ""}, now).why().text == "address_unusable");
}

BOOST_AUTO_TEST_SUITE_END()
