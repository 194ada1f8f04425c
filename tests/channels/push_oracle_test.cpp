// One push to a browser that somebody else plays: tests/push/run.sh starts it and judges what came.
// $ARAUTO_PUSH_ORACLE is {endpoint, p256dh, auth, private_key, wanted}. Runs only when it is named.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <future>

#include "actors/channels/account.hpp"
#include "tests/channels/push_fixture.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;

BOOST_AUTO_TEST_SUITE(push_oracle, *boost::unit_test::disabled())

BOOST_AUTO_TEST_CASE(a_push_service_by_others_answers_as_it_should) {
  const auto* given = std::getenv("ARAUTO_PUSH_ORACLE");
  BOOST_TEST_REQUIRE(given != nullptr);
  const auto to = nlohmann::json::parse(given);
  const auto form = read_account(provider::web_push, {{"private_key", to["private_key"]},
                                                      {"subject", "mailto:ops@loja.example"}});
  const auto out = open_port(provider::web_push, form.form, test_means());
  BOOST_TEST_REQUIRE(static_cast<bool>(out));
  auto what = push_to(to["endpoint"], "Olá, João 🎉");
  what.target.p256dh = to["p256dh"];
  what.target.auth = to["auth"];
  auto made = (*out)->compose(what);
  BOOST_TEST_REQUIRE(static_cast<bool>(made));
  std::promise<outcome> said;
  (*out)->send(std::move(*made), port::steady::now() + std::chrono::seconds{10},
               [&](outcome o) { said.set_value(std::move(o)); });
  BOOST_TEST(in_words(said.get_future().get()) == to["wanted"].get<std::string>());
}

BOOST_AUTO_TEST_SUITE_END()
