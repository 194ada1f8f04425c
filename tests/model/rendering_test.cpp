#include "storage/model/rendering.hpp"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

using arauto::channel;
using arauto::check_template;
using arauto::errc;
using arauto::part;
using arauto::render;

namespace {

std::string rendered(const std::string& name, const std::string& source,
                     const std::string& variables) {
  const auto parts = render({{name, source}}, variables);
  if (!parts) {
    BOOST_TEST((parts.error() == errc::bad_input));
    return "refused: " + parts.why().text;
  }
  BOOST_TEST(parts->size() == 1u);
  BOOST_TEST(parts->front().name == name);
  return parts->front().text;
}

std::string text(const std::string& source, const std::string& variables) {
  return rendered("text", source, variables);
}

std::string html(const std::string& source, const std::string& variables) {
  return rendered("html", source, variables);
}

// What is wrong with one part of an otherwise good e-mail template; empty when nothing is.
std::string problem_of(const std::string& name, const std::string& source) {
  std::vector<part> parts{{name, source}};
  if (name != "subject") parts.push_back({"subject", "s"});
  if (name == "subject") parts.push_back({"text", "t"});
  std::string all;
  for (const auto& problem : check_template(channel::email, parts).problems) {
    BOOST_TEST(problem.part == name);
    all += (all.empty() ? "" : "; ") + problem.what;
  }
  return all;
}

std::vector<std::string> required_by(const std::vector<part>& parts) {
  const auto check = check_template(channel::email, parts);
  BOOST_TEST(check.problems.empty());
  return check.required;
}

const char* const people = R"json({"name":"O'Neil & <b>Filhos</b>","url":"javascript:alert(1)",
                                  "note":"{{name}} {{secret}} %s ${x}"})json";

} // namespace

BOOST_AUTO_TEST_SUITE(rendering)

// S30
BOOST_AUTO_TEST_CASE(subject_text_and_push_show_values_exactly_as_sent) {
  for (const auto* name : {"subject", "text", "title", "body", "image", "link"})
    BOOST_TEST(rendered(name, "Hi {{name}}!", people) == "Hi O'Neil & <b>Filhos</b>!");
  BOOST_TEST(text("{{x}}", "{\"x\":\"\\u202e\\r\\n\\t\"}") == "\xE2\x80\xAE\r\n\t");
}

// S30, S31
BOOST_AUTO_TEST_CASE(data_stays_the_json_its_template_is_whatever_a_value_holds) {
  BOOST_TEST(rendered("data", R"({"a":"{{x}}","n":{{n}},"b":{{b}}})",
                      R"({"x":"\"},\n\\é","n":1.10,"b":true})")
             == R"({"a":"\"},\n\\é","n":1.10,"b":true})");
}

// S30
BOOST_AUTO_TEST_CASE(html_shows_values_as_text_and_never_as_markup) {
  BOOST_TEST(html("<p>{{name}}</p>", people)
             == "<p>O&#39;Neil &amp; &lt;b&gt;Filhos&lt;/b&gt;</p>");
  BOOST_TEST(html("<p title=\"{{x}}\" lang='{{x}}'>", R"({"x":"\" onclick='y' >"})")
             == "<p title=\"&quot; onclick=&#39;y&#39; &gt;\" "
                "lang='&quot; onclick=&#39;y&#39; &gt;'>");
}

// S30
BOOST_AUTO_TEST_CASE(a_value_that_looks_like_a_template_is_not_expanded) {
  BOOST_TEST(text("{{note}}", people) == "{{name}} {{secret}} %s ${x}");
  BOOST_TEST(html("{{note}}", people) == "{{name}} {{secret}} %s ${x}");
  BOOST_TEST(text("{{#a}}{{.}}{{/a}}", R"({"a":"{{/a}}{{#b}}"})") == "{{/a}}{{#b}}");
}

// S30: never `{{name}}` to the user, and never a silent gap.
BOOST_AUTO_TEST_CASE(a_name_nobody_gave_stops_the_rendering) {
  const std::string none = "{}";
  BOOST_TEST(text("a {{name}}", none) == "refused: missing_variable name");
  BOOST_TEST(text("{{#name}}x{{/name}}", none) == "refused: missing_variable name");
  BOOST_TEST(text("{{^name}}x{{/name}}", none) == "refused: missing_variable name");
  BOOST_TEST(text("{{a.b}}", R"({"a":{"c":1}})") == "refused: missing_variable a.b");
  BOOST_TEST(text("{{a.b}}", R"({"a":"text"})") == "refused: missing_variable a.b");
  BOOST_TEST(text("{{#a}}{{b}}{{/a}}", R"({"a":[{"b":1},{}]})") == "refused: missing_variable b");
  BOOST_TEST(text("{{#a}}{{b}}{{/a}}", R"({"a":[]})").empty());
}

// S07: an amount is printed exactly as sent.
BOOST_AUTO_TEST_CASE(numbers_are_printed_exactly_as_sent) {
  for (const std::string n : {"18446744073709551616", "9007199254740993.0", "1.10", "-0", "-7",
                              "1E+2", "0", "18446744073709551615", "-9223372036854775808"})
    BOOST_TEST(text("{{n}}", "{\"n\":" + n + "}") == n);
}

BOOST_AUTO_TEST_CASE(truth_prints_as_words_and_null_as_nothing) {
  BOOST_TEST(text("{{t}} {{f}} [{{n}}]", R"({"t":true,"f":false,"n":null})") == "true false []");
}

BOOST_AUTO_TEST_CASE(only_false_null_and_an_empty_list_are_a_no) {
  for (const auto* no : {"false", "null", "[]"})
    BOOST_TEST(text("{{#x}}yes{{/x}}{{^x}}no{{/x}}", std::string{"{\"x\":"} + no + "}") == "no");
  for (const auto* yes : {"true", "0", "\"\"", "{}", "\"false\"", "[false]"})
    BOOST_TEST(text("{{#x}}yes{{/x}}{{^x}}no{{/x}}", std::string{"{\"x\":"} + yes + "}") == "yes");
}

BOOST_AUTO_TEST_CASE(an_object_or_a_list_has_no_text) {
  BOOST_TEST(text("{{o}}", R"({"o":{"a":1}})") == "refused: not_renderable o");
  BOOST_TEST(text("{{l}}", R"({"l":[1]})") == "refused: not_renderable l");
  BOOST_TEST(text("{{#l}}{{.}}{{/l}}", R"({"l":[[1]]})") == "refused: not_renderable .");
}

BOOST_AUTO_TEST_CASE(sections_repeat_and_look_outwards) {
  const auto* order = R"({"cur":"R$","items":[{"n":"a","p":{"v":1.50}},{"n":"b","p":{"v":2}}]})";
  BOOST_TEST(text("{{#items}}{{n}} {{cur}}{{p.v}}; {{/items}}", order) == "a R$1.50; b R$2; ");
  BOOST_TEST(text("{{#l}}<{{.}}>{{/l}}", R"({"l":[1,"x",true]})") == "<1><x><true>");
  BOOST_TEST(text("x\n{{#a}}\n- {{b}}\n{{/a}}\n{{! a note }}y{{!}}", R"({"a":[{"b":1},{"b":2}]})")
             == "x\n- 1\n- 2\ny");
}

BOOST_AUTO_TEST_CASE(the_innermost_section_that_knows_the_first_segment_decides) {
  const auto* shadow = R"({"a":{"b":1},"s":{"a":{"c":2}}})";
  BOOST_TEST(text("{{a.b}}", shadow) == "1");
  BOOST_TEST(text("{{#s}}{{a.c}}{{/s}}", shadow) == "2");
  BOOST_TEST(text("{{#s}}{{a.b}}{{/s}}", shadow) == "refused: missing_variable a.b");
}

// S22: a subject that carries a header of its own.
BOOST_AUTO_TEST_CASE(a_rendered_subject_is_one_line_whatever_the_values_hold) {
  const auto* evil = R"({"x":"a\r\nBcc: evil@example.net\u0085b\u2028c\u2029d\u000be\u007ff"})";
  BOOST_TEST(rendered("subject", "{{x}}", evil) == "a  Bcc: evil@example.net b c d e f");
  BOOST_TEST(rendered("title", "{{x}}", evil) == "a  Bcc: evil@example.net b c d e f");
  BOOST_TEST(rendered("subject", "{{x}}", R"({"x":"caf\u00e9 \u20ac \ud83d\ude00"})")
             == "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
}

BOOST_AUTO_TEST_CASE(all_parts_come_back_in_their_order) {
  const auto parts =
      render({{"subject", "{{a}}"}, {"text", "{{a}}"}, {"html", "{{a}}"}}, R"({"a":"<"})");
  BOOST_REQUIRE(parts);
  BOOST_TEST(parts->size() == 3u);
  BOOST_TEST(parts->at(0).text == "<");
  BOOST_TEST(parts->at(2).name == "html");
  BOOST_TEST(parts->at(2).text == "&lt;");
}

BOOST_AUTO_TEST_CASE(variables_that_are_no_object_are_not_rendered) {
  for (const auto* bad : {"", "[]", "null", "{", "{\"a\":1e400}", "\"x\""})
    BOOST_TEST(text("fixed", bad) == "refused: not_renderable variables");
  const auto deep = "{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + '}';
  BOOST_TEST(text("fixed", deep) == "refused: not_renderable variables");
}

// Lists in lists multiply: 1000 numbers, four sections deep, are 10^12 lines.
BOOST_AUTO_TEST_CASE(a_template_cannot_grow_without_bound) {
  std::string list = "{\"a\":[0";
  for (int i = 1; i < 1000; ++i)
    list += ",0";
  list += "],\"x\":\"" + std::string(60'000, '&') + "\"}";
  const std::string refused = "refused: not_renderable too_large";
  BOOST_TEST(text("{{#a}}{{#a}}{{#a}}{{#a}}x{{/a}}{{/a}}{{/a}}{{/a}}", list) == refused);
  BOOST_TEST(text("{{#a}}{{#a}}{{#a}}{{#a}}{{/a}}{{/a}}{{/a}}{{/a}}", list) == refused);
  BOOST_TEST(text("{{#a}}" + std::string(10'000, 'y') + "{{/a}}", list) == refused);
  BOOST_TEST(text("{{#a}}{{x}}{{/a}}", list) == refused);
  std::string siblings = "{{#a}}"; // nothing to see in any of them, and each asks for a name
  while (siblings.size() < 200'000)
    siblings += "{{^a}}{{/a}}";
  BOOST_TEST(text(siblings + "{{/a}}", list) == refused);
  std::string long_list = "{\"a\":[0";
  for (int i = 1; i < 70'000; ++i)
    long_list += ",0";
  BOOST_TEST(text("{{#a}}{{/a}}", long_list + "]}") == refused); // an empty pass is not free
  BOOST_TEST(text("{{#a}}" + std::string(1'000, 'y') + "{{/a}}", list).size() == 1'000'000u);
}

// Only what appears is counted: a large section that stays away costs its list nothing.
BOOST_AUTO_TEST_CASE(a_section_is_not_charged_for_the_sections_in_it) {
  const auto* repeated = R"({"a":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"no":false})";
  const std::string large(200'000, 'y');
  BOOST_TEST(text("{{#a}}x{{#no}}" + large + "{{/no}}{{/a}}", repeated) == std::string(25, 'x'));
}

BOOST_AUTO_TEST_CASE(a_channel_takes_its_own_parts_and_needs_some) {
  const auto problems = [](channel via, const std::vector<part>& parts) {
    std::string all;
    for (const auto& p : check_template(via, parts).problems)
      all += p.part + ": " + p.what + "; ";
    return all;
  };
  BOOST_TEST(problems(channel::email, {{"subject", "s"}, {"text", "t"}}).empty());
  BOOST_TEST(problems(channel::email, {{"html", "h"}, {"subject", "s"}}).empty());
  BOOST_TEST(problems(channel::push, {{"title", "t"}}).empty());
  BOOST_TEST(problems(channel::push, {{"title", "t"}, {"body", "b"}, {"data", "{}"}}).empty());
  BOOST_TEST(problems(channel::push, {{"title", "t"}, {"image", "i"}, {"link", "l"}}).empty());
  BOOST_TEST(problems(channel::push, {{"title", "t"}, {"link", "a\nb"}})
             == "link: must be one line without control characters; ");
  BOOST_TEST(problems(channel::email, {}) == "subject: is needed; text: text or html is needed; ");
  BOOST_TEST(problems(channel::push, {{"body", "b"}}) == "title: is needed; ");
  BOOST_TEST(problems(channel::push, {{"title", "t"}, {"subject", "s"}})
             == "subject: unknown part; ");
  BOOST_TEST(problems(channel::email, {{"subject", "s"}, {"text", "a"}, {"text", "b"}})
             == "text: given twice; ");
}

BOOST_AUTO_TEST_CASE(required_are_the_names_outside_of_sections) {
  const std::vector<part> parts{
      {"subject", "{{order.id}} {{order.total}} {{name}}"},
      {"text", "{{#items}}{{price}}{{#deep}}{{.}}{{/deep}}{{/items}}{{^vip}}{{x}}{{/vip}}"},
      {"html", "{{name}}{{! {{remark}}{{#seller.open}}{{/seller.open}}"}};
  BOOST_TEST(required_by(parts)
                 == (std::vector<std::string>{"items", "name", "order", "seller", "vip"}),
             boost::test_tools::per_element());
  BOOST_TEST(required_by({{"subject", "s"}, {"text", "t"}}).empty());
}

BOOST_AUTO_TEST_CASE(what_mustache_could_do_beyond_values_and_sections_is_refused) {
  BOOST_TEST(problem_of("text", "ab {{{x}}}") == "{{{ is not allowed at 3");
  BOOST_TEST(problem_of("text", "{{&x}}") == "{{& is not allowed at 0");
  BOOST_TEST(problem_of("text", "{{ & x}}") == "{{& is not allowed at 0");
  BOOST_TEST(problem_of("text", "{{> x}}{{>y}}")
             == "{{> is not allowed at 0; {{> is not allowed at 7");
  BOOST_TEST(problem_of("text", "{{=<% %>=}}<%x%>") == "{{= is not allowed at 0");
}

BOOST_AUTO_TEST_CASE(tags_that_do_not_close_are_refused_with_their_place) {
  BOOST_TEST(problem_of("text", "ab{{x") == "unclosed tag at 2");
  BOOST_TEST(problem_of("text", "ab{{") == "unclosed tag at 2");
  BOOST_TEST(problem_of("text", "a{{#x}}b") == "unclosed section at 1");
  BOOST_TEST(problem_of("text", "a{{#x}}{{#y}}{{/x}}{{/y}}") == "unclosed section at 7");
  BOOST_TEST(problem_of("text", "{{/x}}") == "unopened section at 0");
  BOOST_TEST(problem_of("text", "} }} {x} { {").empty());
}

BOOST_AUTO_TEST_CASE(names_are_plain_so_that_no_dialect_of_mustache_sneaks_in) {
  const std::string why = "a name holds letters, digits, _ and -, with dots between at 0";
  for (const auto* bad : {"{{}}", "{{ }}", "{{a b}}", "{{a..b}}", "{{.a}}", "{{a.}}", "{{<a}}",
                          "{{$a}}", "{{*a}}", "{{ {a} }}", "{{a\n}}b{{\"}}", "{{@a}}"})
    BOOST_TEST(problem_of("text", bad).find("a name holds") == 0u, bad);
  BOOST_TEST(problem_of("text", "{{" + std::string(256, 'n') + "}}") == why);
  for (const auto* good :
       {"{{ a }}", "{{a.b-c_9}}", "{{pre\xC3\xA7o}}", "{{#a}}{{.}}{{/a}}", "{{# a }}{{/ a}}"})
    BOOST_TEST(problem_of("text", good).empty(), good);
  BOOST_TEST(problem_of("text", "{{.}}") == "{{.}} needs a section around it at 0");
}

BOOST_AUTO_TEST_CASE(a_part_is_bounded_in_size_and_depth) {
  BOOST_TEST(problem_of("text", std::string(262'144, 'x')).empty());
  BOOST_TEST(problem_of("text", std::string(262'145, 'x')) == "larger than 262144 bytes");
  std::string open;
  std::string shut;
  for (int i = 0; i < 16; ++i) {
    open += "{{#a}}";
    shut += "{{/a}}";
  }
  BOOST_TEST(problem_of("text", open + shut).empty());
  BOOST_TEST(problem_of("text", open + "{{#a}}{{/a}}" + shut)
             == "too many sections in each other at 96");
}

// S22, S08
BOOST_AUTO_TEST_CASE(a_part_is_text_and_a_subject_one_line_of_it) {
  for (const auto* bad : {"a\nb", "a\rb", "a\tb", "a\xC2\x85", "a\xE2\x80\xA8"})
    BOOST_TEST(problem_of("subject", bad) == "must be one line without control characters");
  BOOST_TEST(problem_of("text", "a\xFF") == "not valid UTF-8");
  BOOST_TEST(problem_of("html", "a\x02") == "control characters are not allowed");
  BOOST_TEST(problem_of("text", "a\r\n\tb").empty());
  BOOST_TEST(rendered("subject", "a\nb", "{}") == "refused: not_renderable template");
}

BOOST_AUTO_TEST_SUITE_END()
