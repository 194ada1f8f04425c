// What a push says, before it is in any provider's form.
#include <boost/test/unit_test.hpp>

#include "actors/channels/push_content.hpp"
#include "storage/model/text.hpp"
#include "storage/model/uuid.hpp"
#include "tests/channels/push_fixture.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;

namespace {

std::string data(const std::string& json) {
  const auto read = read_push_data(json);
  if (!read) return "refused";
  std::string all;
  for (const auto& [key, value] : *read)
    all += (all.empty() ? "" : "; ") + key + "=" + value;
  return all;
}

std::string refusal(const std::string& part, const std::string& text) {
  auto what = push_to("t");
  what.parts.push_back({part, text});
  const auto read = read_push(what);
  return read ? "" : read.why().text;
}

std::string emoji(int count) {
  std::string text;
  for (int n = 0; n < count; ++n)
    text += "\xF0\x9F\x8E\x89";
  return text;
}

std::size_t plain_size(const push_content& what) {
  return what.title.size() + what.body.size() + 100;
}

} // namespace

BOOST_AUTO_TEST_SUITE(push_contents)

// S31
BOOST_AUTO_TEST_CASE(every_value_of_the_data_becomes_a_string) {
  BOOST_TEST(data(R"({"s":"x","i":42,"n":-7,"z":-0,"d":1.10,"e":1e3,"t":true,"f":false,"0":null})")
             == "0=; d=1.10; e=1e3; f=false; i=42; n=-7; s=x; t=true; z=-0");
  BOOST_TEST(data(R"({"o":{"a":[1,{"b":"\"é"},[]],"c":{}},"l":[1.50,null]})")
             == R"(l=[1.50,null]; o={"a":[1,{"b":"\"é"},[]],"c":{}})");
  BOOST_TEST(data("{}") == "");
}

BOOST_AUTO_TEST_CASE(data_that_is_no_object_or_says_a_thing_twice_is_refused) {
  for (const auto* text : {"", "[]", "1", "\"x\"", "null", "{", R"({"a":1,"a":2})",
                           R"({"o":{"a":1,"a":2}})", R"({"":1})", "{}{}", R"({"a":nan})"})
    BOOST_TEST(data(text) == "refused", text);
  BOOST_TEST(data("{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}") == "refused");
}

// S31
BOOST_AUTO_TEST_CASE(an_app_can_tell_that_it_has_seen_an_event) {
  auto what = push_to("t");
  what.parts.push_back({"data", R"({"order":7})"});
  const auto read = read_push(what);
  BOOST_TEST_REQUIRE(static_cast<bool>(read));
  BOOST_TEST(read->data.at("arauto_event_id") == what.key.event.text);
  BOOST_TEST(read->data.at("order") == "7");
  BOOST_TEST(refusal("data", R"({"arauto_event_id":"x"})") == "data_key_reserved");
}

BOOST_AUTO_TEST_CASE(links_and_images_are_http_or_not_there) {
  for (const auto* part : {"link", "image"}) {
    for (const auto* good : {"", " ", "https://loja.example/p?id=1#x", "HTTP://loja.example/ção"})
      BOOST_TEST(refusal(part, good) == "", good);
    for (const auto* bad : {"javascript:alert(1)", "loja://x", "//loja.example", "https://", "x",
                            "https://a b", "data:text/html,x", "https://x/\"onload"})
      BOOST_TEST(refusal(part, bad) == std::string{part} + "_unusable", bad);
  }
}

BOOST_AUTO_TEST_CASE(a_push_without_words_is_refused) {
  auto what = push_to("t");
  what.parts = {{"title", ""}, {"data", "{}"}};
  BOOST_TEST(read_push(what).why().text == "text_missing");
  what.parts = {{"title", "\xFF"}};
  BOOST_TEST(read_push(what).why().text == "not_utf8");
}

// S31
BOOST_AUTO_TEST_CASE(a_long_body_is_cut_between_characters_and_then_the_title) {
  push_content what;
  what.title = emoji(10);
  what.body = emoji(1'500);
  BOOST_TEST_REQUIRE(static_cast<bool>(fit_push(what, 1'000, plain_size)));
  BOOST_TEST(plain_size(what) <= 1'000u);
  BOOST_TEST(plain_size(what) > 1'000u - 4u);
  BOOST_TEST(is_utf8(what.body));
  BOOST_TEST(what.title == emoji(10));
  BOOST_TEST(what.body.substr(what.body.size() - 3) == "…");

  BOOST_TEST_REQUIRE(static_cast<bool>(fit_push(what, 120, plain_size)));
  BOOST_TEST(what.body == "");
  BOOST_TEST(what.title == emoji(4) + "…");
  BOOST_TEST(fit_push(what, 99, plain_size).why().text == "too_large");
}

BOOST_AUTO_TEST_CASE(what_fits_is_left_as_it_is) {
  push_content what;
  what.title = "Loja";
  what.body = emoji(225);
  BOOST_TEST_REQUIRE(static_cast<bool>(fit_push(what, 1'004, plain_size)));
  BOOST_TEST(what.body == emoji(225));
}

BOOST_AUTO_TEST_CASE(the_names_of_a_delivery_are_the_same_on_each_attempt_and_no_other_has_them) {
  const auto first = push_to("t");
  auto again = push_to("another token", "another text");
  BOOST_TEST(collapse_identity(first) == collapse_identity(again));
  BOOST_TEST(push_uuid(first) == push_uuid(again));
  again.target.device_id = "phone-2";
  BOOST_TEST(collapse_identity(first) != collapse_identity(again));
  BOOST_TEST(push_uuid(first) != push_uuid(again));
  BOOST_TEST(collapse_identity(first).size() == 32u);
  BOOST_TEST(is_uuid(push_uuid(first)));
}

BOOST_AUTO_TEST_CASE(a_push_lives_as_long_as_its_event_and_at_most_four_weeks) {
  auto what = push_to("t");
  BOOST_TEST(push_life_s(what) == 2'419'200);
  what.expires_in_ms = 90'500;
  BOOST_TEST(push_life_s(what) == 90);
  what.expires_in_ms = 0;
  BOOST_TEST(push_life_s(what) == 0);
  what.expires_in_ms = 5'000'000'000;
  BOOST_TEST(push_life_s(what) == 2'419'200);
}

BOOST_AUTO_TEST_SUITE_END()
