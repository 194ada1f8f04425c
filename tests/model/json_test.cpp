#include "storage/model/json.hpp"

#include <string>

#include <boost/test/unit_test.hpp>

using arauto::json_limits;
using arauto::parse_json;

namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

// What is kept of `{"variables": ...}`, or why it was refused.
std::string kept(const std::string& variables) {
  const auto document = parse_json(R"({"variables":)" + variables + "}", {});
  if (!document.good) return "refused at " + document.problem.pointer;
  return document.root.at("variables").get<std::string>();
}

std::string refused_at(std::string_view text, const json_limits& limits = {}) {
  const auto document = parse_json(text, limits);
  BOOST_TEST(document.root.is_null());
  if (document.good) return "accepted";
  BOOST_TEST(!document.problem.what.empty());
  return document.problem.pointer;
}

} // namespace

BOOST_AUTO_TEST_SUITE(json)

BOOST_AUTO_TEST_CASE(an_ordinary_request_is_read) {
  const auto document = parse_json(
      R"( {"user_id": "u-1", "channels": ["email", "push"], "n": -7, "yes": true, "no": null} )",
      {});
  BOOST_REQUIRE(document.good);
  BOOST_TEST(document.root.at("user_id") == "u-1");
  BOOST_TEST(document.root.at("channels").size() == 2u);
  BOOST_TEST(document.root.at("channels").at(1) == "push");
  BOOST_TEST(document.root.at("n") == -7);
  BOOST_TEST(document.root.at("yes") == true);
  BOOST_TEST(document.root.at("no").is_null());
}

// S07: a gateway and the service must not see different users.
BOOST_AUTO_TEST_CASE(a_member_given_twice_is_refused_at_any_level_and_named) {
  BOOST_TEST(refused_at(R"({"user_id":"u-1","user_id":"u-2"})") == "/user_id");
  BOOST_TEST(refused_at(R"({"a":[{"x":1},{"y":{"z":1,"z":1}}]})") == "/a/1/y/z");
  BOOST_TEST(refused_at(R"({"variables":{"total":1,"total":2}})") == "/variables/total");
  BOOST_TEST(refused_at(R"({"variables":[0,{"a":{"b":1,"\u0062":2}}]})") == "/variables/1/a/b");
  BOOST_TEST(refused_at(R"({"variables":{},"variables":{}})") == "/variables");
  BOOST_TEST(refused_at(R"({"a/b~c":1,"a/b~c":2})") == "/a~1b~0c");
  BOOST_TEST(parse_json(R"([{"a":1},{"a":2}])", {}).good);
}

// S07: an amount is printed as it was sent, or refused; never changed.
BOOST_AUTO_TEST_CASE(numbers_in_variables_are_kept_as_written) {
  for (const auto* number : {"18446744073709551616", "9007199254740993.0", "1.10", "1e5", "1E+5",
                             "-0", "0", "-0.0", "1e-300", "-9223372036854775808",
                             "18446744073709551615", "0.1000000000000000055511151231257827"})
    BOOST_TEST(kept(std::string{"{\"n\":"} + number + "}")
               == std::string{"{\"n\":"} + number + "}");
}

// S07: what PostgreSQL's numeric could not take, or would turn into a thousand digits.
BOOST_AUTO_TEST_CASE(numbers_that_cannot_be_kept_are_refused_by_name) {
  BOOST_TEST(kept(R"({"a":1,"x":1e400})") == "refused at /variables/x");
  BOOST_TEST(kept(R"([1,2,-1e999])") == "refused at /variables/2");
  BOOST_TEST(kept("{\"x\":1e-1000}") == "refused at /variables/x");
  BOOST_TEST(kept("{\"x\":1e-0999}") == "{\"x\":1e-0999}");
  BOOST_TEST(kept("{\"x\":0e1000}") == "refused at /variables/x");
  const std::string digits_64(64, '7');
  BOOST_TEST(kept('[' + digits_64 + ']') == '[' + digits_64 + ']');
  BOOST_TEST(kept('[' + digits_64 + "7]") == "refused at /variables/0");
}

BOOST_AUTO_TEST_CASE(outside_variables_only_integers_of_64_bits_are_numbers) {
  BOOST_TEST(parse_json("9223372036854775807", {}).root == INT64_MAX);
  BOOST_TEST(parse_json("-9223372036854775808", {}).root == INT64_MIN);
  BOOST_TEST(refused_at(R"({"a":[0,9223372036854775808]})") == "/a/1");
  BOOST_TEST(refused_at(R"({"a":18446744073709551616})") == "/a");
  BOOST_TEST(refused_at(R"({"limit":1.0})") == "/limit");
  BOOST_TEST(refused_at(R"({"limit":1e2})") == "/limit");
  BOOST_TEST(refused_at(R"({"limit":1e400})") == "/limit");
}

BOOST_AUTO_TEST_CASE(variables_are_kept_compact_and_in_the_order_sent) {
  BOOST_TEST(kept(" { \"z\" : 1 ,\n\"a\": [ true , false, null, \"x\" , {}, [] ] } ")
             == R"({"z":1,"a":[true,false,null,"x",{},[]]})");
  BOOST_TEST(kept(R"({"variables":{"variables":1.5}})") == R"({"variables":{"variables":1.5}})");
}

// S09: the same text written with other escapes is the same text.
BOOST_AUTO_TEST_CASE(strings_in_variables_are_escaped_only_where_json_asks_for_it) {
  BOOST_TEST(kept(R"({"a":"\u00e9\/\ud83d\ude00"})") == "{\"a\":\"\xC3\xA9/\xF0\x9F\x98\x80\"}");
  BOOST_TEST(kept(R"({"\u0022k\\":"\"\\\b\f\n\r\t\u001f"})")
             == R"({"\"k\\":"\"\\\u0008\u000c\n\r\t\u001f"})");
  const auto again = nlohmann::json::parse(kept(R"({"a":"\u0001\" \\ \u007f"})"));
  BOOST_TEST(again.at("a") == "\x01\" \\ \x7f");
}

BOOST_AUTO_TEST_CASE(variables_that_are_no_object_are_left_to_the_caller) {
  BOOST_TEST(kept("null") == "null");
  BOOST_TEST(kept("1.50") == "1.50");
  BOOST_TEST(kept("\"x\"") == "\"x\"");
  BOOST_TEST(kept("[1]") == "[1]");
}

BOOST_AUTO_TEST_CASE(a_type_may_be_called_variables) {
  const auto document = parse_json(R"({"types":{"variables":{"email":false}}})", {});
  BOOST_TEST(document.root.at("types").at("variables").at("email") == false);
}

BOOST_AUTO_TEST_CASE(every_item_of_a_batch_keeps_its_own_variables) {
  const auto document = parse_json(
      R"({"notifications":[{"variables":{"n":1.0}},{"user_id":"u"},{"variables":{"n":2}}]})", {});
  BOOST_REQUIRE(document.good);
  const auto& items = document.root.at("notifications");
  BOOST_TEST(items.at(0).at("variables") == R"({"n":1.0})");
  BOOST_TEST(items.at(1).at("user_id") == "u");
  BOOST_TEST(items.at(2).at("variables") == R"({"n":2})");
}

// S08: broken text is refused at the door, before a row exists.
BOOST_AUTO_TEST_CASE(text_that_is_no_unicode_is_refused) {
  for (const auto* bad : {"{\"a\":\"\xFF\"}", R"({"a":"\ud800"})", R"({"a":"\udc00\ud800"})",
                          "\xEF\xBB\xBF{}", "\xFF\xFE{\x20}", R"({"variables":{"a":"\ud83d"}})",
                          "{\"variables\":{\"a\":\"\xED\xA0\x80\"}}"})
    BOOST_TEST(!parse_json(bad, {}).good);
}

BOOST_AUTO_TEST_CASE(the_character_zero_is_refused_wherever_it_stands) {
  BOOST_TEST(refused_at(R"({"a":["x\u0000y"]})") == "/a/0");
  BOOST_TEST(refused_at(R"({"variables":{"a":"\u0000"}})") == "/variables/a");
  BOOST_TEST(refused_at(R"({"a\u0000b":1})") == "/");
  BOOST_TEST(!parse_json(std::string_view{"{}\0{}", 5}, {}).good);
  BOOST_TEST(!parse_json(std::string_view{"\0{\0}", 4}, {}).good);
}

BOOST_AUTO_TEST_CASE(what_is_no_json_is_refused_and_not_quoted) {
  for (const auto* bad : {"", " ", "{", "{} {}", "{\"a\":}", "{'a':1}", "[1,]", "{\"a\":01}", "nul",
                          "secret", "// note\n{}", "[1 2]", "{\"a\" 1}", "NaN", "+1"}) {
    const auto document = parse_json(bad, {});
    BOOST_TEST(!document.good, bad);
    BOOST_TEST(document.problem.what.rfind("not valid JSON at byte ", 0) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(depth_is_bounded_inside_and_outside_of_variables) {
  BOOST_TEST(parse_json(nested(32), {}).good);
  BOOST_TEST(!parse_json(nested(33), {}).good);
  BOOST_TEST(kept(nested(31)) == nested(31));
  BOOST_TEST(kept(nested(32)).rfind("refused at /variables/0/0", 0) == 0u);
  BOOST_TEST(!parse_json(std::string(200'000, '['), {}).good);
  BOOST_TEST(refused_at(R"({"a":{"b":{}}})", {2, 100}) == "/a/b");
}

BOOST_AUTO_TEST_CASE(variables_are_bounded_by_their_compact_size) {
  const json_limits ten{32, 10};
  BOOST_TEST(parse_json(R"({"variables":{"a" :    "2345"}})", {32, 12}).good);
  const auto read = [&](const char* text) { return parse_json(text, ten).root; };
  const auto cut = "{" + std::string(10, ' ');
  BOOST_TEST(read(R"({"variables":{"a":"23456"}})")["variables"] == cut);
  BOOST_TEST(read(R"({"variables":{"a_long_name":{"a":1,"a":1},"b":["c"]},"n":1})")
             == nlohmann::json({{"variables", cut}, {"n", 1}}));
  const auto two = read(R"({"notifications":[{"variables":[1,[22222,33333]]},{"variables":{}}]})");
  BOOST_TEST(two["notifications"][0]["variables"] == "[" + std::string(10, ' '));
  BOOST_TEST(two["notifications"][1]["variables"] == "{}");
  BOOST_TEST(!parse_json(R"({"variables":{"a_long_name":1} )", ten).good);
  BOOST_TEST(parse_json(R"({"text":"not bounded here","variables":{}})", ten).good);
}

// P9: a document costs many times its text, so what bounds it is the count, while it is read.
BOOST_AUTO_TEST_CASE(values_are_counted_outside_of_variables) {
  const json_limits four{32, 65'536, 4};
  BOOST_TEST(parse_json(R"([1,{},"x"])", four).good);
  BOOST_TEST(refused_at(R"([1,{},"x",[]])", four) == "/3");
  BOOST_TEST(refused_at(R"({"a":1,"b":null,"c":true,"d":-1.5})", four) == "/d");
  const std::string one = R"({"n":[{"variables":{"a":[1,2,3,4,5,6]}})";
  BOOST_TEST(parse_json(one + ",7]}", four).good);
  BOOST_TEST(refused_at(one + ",7,8]}", four) == "/n/2");
  std::string ones = "1"; // as many as 64 KiB have room for
  for (int n = 1; n < 32'764; ++n)
    ones += ",1";
  const auto full = "{\"a\":[" + ones + "]}";
  BOOST_TEST((kept(full) == full));
}

BOOST_AUTO_TEST_SUITE_END()
