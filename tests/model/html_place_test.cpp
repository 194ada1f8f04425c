// Values in HTML: where they may stand, and which links they may make (S30).
#include "storage/model/html_place.hpp"

#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "storage/model/rendering.hpp"

using arauto::channel;
using arauto::check_template;
using arauto::render;

namespace {

// True when every problem found is one of the HTML part, and there is one.
bool is_refused(const std::string& html) {
  return !check_template(channel::email, {{"subject", "s"}, {"html", html}}).problems.empty();
}

std::string with_url(const std::string& html, const std::string& url) {
  const nlohmann::json variables{{"url", url}, {"empty", ""}, {"no", false}, {"yes", true}};
  const auto parts = render({{"html", html}}, variables.dump());
  return parts ? parts->front().text : "refused: " + parts.why().text;
}

// What becomes of a link that is the variable alone.
std::string link_to(const std::string& url) {
  const auto html = with_url("<a href=\"{{url}}\">x</a>", url);
  const std::string before = "<a href=\"";
  const std::string after = "\">x</a>";
  BOOST_REQUIRE(html.size() >= before.size() + after.size());
  return html.substr(before.size(), html.size() - before.size() - after.size());
}

} // namespace

BOOST_AUTO_TEST_SUITE(html_place)

BOOST_AUTO_TEST_CASE(links_to_the_web_and_to_mail_stay_as_they_are) {
  for (const auto* good : {"https://example.com/a?b=c#d", "http://x", "HTTPS://X", "mailto:a@b.c",
                           "", "/path", "path/a:b", "?q=a:b", "#top", "//host/x", "1:2", "www.x.y"})
    BOOST_TEST(link_to(good) == good);
  BOOST_TEST(link_to("https://x/?a=1&b='2'") == "https://x/?a=1&amp;b=&#39;2&#39;");
}

BOOST_AUTO_TEST_CASE(a_link_with_any_other_scheme_leads_nowhere) {
  for (const auto* bad : {"javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:x",
                          "\x01javascript:x", "\n\tjavascript:x", "java\nscript:x",
                          "java\tscript:x", "javascript\r:x", "data:text/html,x", "vbscript:x",
                          "file:///etc/passwd", "tel:1", "x-y+z.1:a", "\x02\x03\x04javascript:x"})
    BOOST_TEST(link_to(bad) == "#", bad);
  BOOST_TEST(link_to(std::string(100, 'a') + ":x") == "#");
}

// A browser decodes references in attributes; values have their & escaped, so none is left.
BOOST_AUTO_TEST_CASE(references_in_a_value_stay_text) {
  BOOST_TEST(link_to("javascript&colon;alert(1)") == "javascript&amp;colon;alert(1)");
  BOOST_TEST(link_to("&#106;avascript:x") == "&amp;#106;avascript:x");
}

BOOST_AUTO_TEST_CASE(every_attribute_that_holds_a_link_is_limited) {
  for (const std::string name : {"href", "HREF", "src", "action", "formaction", "poster",
                                 "background", "xlink:href", "data"}) {
    BOOST_TEST(with_url("<x " + name + "='{{url}}'>", "javascript:1") == "<x " + name + "='#'>");
    BOOST_TEST(with_url("<x " + name + " = \"{{url}}\">", "data:1") == "<x " + name + " = \"#\">");
  }
  BOOST_TEST(with_url("<a title=\"{{url}}\">", "javascript:1") == "<a title=\"javascript:1\">");
  BOOST_TEST(with_url("href=\"{{url}}\"", "javascript:1") == "href=\"javascript:1\""); // plain text
}

BOOST_AUTO_TEST_CASE(a_scheme_put_together_from_pieces_is_seen_whole) {
  BOOST_TEST(with_url("<a href=\"{{empty}}{{url}}\">", "javascript:1") == "<a href=\"#\">");
  BOOST_TEST(with_url("<a href=\"java{{url}}\">", "script:1") == "<a href=\"#\">");
  BOOST_TEST(with_url("<a href=\" {{url}}:1\">", "javascript") == "<a href=\"#\">");
  BOOST_TEST(with_url("<a href=\"{{#no}}http://x/{{/no}}{{url}}\">", "javascript:1")
             == "<a href=\"#\">");
  BOOST_TEST(with_url("<a href=\"{{#yes}}{{url}}{{/yes}}{{^yes}}/{{/yes}}\">", "javascript:1")
             == "<a href=\"#\">");
}

BOOST_AUTO_TEST_CASE(a_scheme_the_template_wrote_is_its_authors_own) {
  BOOST_TEST(with_url("<a href=\"tel:{{url}}\">", "+55:1") == "<a href=\"tel:+55:1\">");
  BOOST_TEST(with_url("<img src=\"cid:{{url}}\">", "logo") == "<img src=\"cid:logo\">");
  BOOST_TEST(with_url("<a href=\"https://x/{{url}}\">", "a:b") == "<a href=\"https://x/a:b\">");
  BOOST_TEST(with_url("<a href=\"javascript:void(0)\">{{url}}", "x")
             == "<a href=\"javascript:void(0)\">x");
  BOOST_TEST(with_url("<a href=\"{{url}}/x:y\"><a href=\"{{url}}\">", "http://h")
             == "<a href=\"http://h/x:y\"><a href=\"http://h\">");
}

BOOST_AUTO_TEST_CASE(a_value_stands_only_where_it_can_be_escaped) {
  for (const auto* bad : {"<a href={{x}}>",
                          "<a href= {{x}}>",
                          "<a href=/a/{{x}}>",
                          "<{{x}}>",
                          "<a {{x}}>",
                          "<a {{x}}=\"y\">",
                          "<a b{{x}}=\"y\">",
                          "<a b {{x}}>",
                          "</{{x}}>",
                          "<{{x}}",
                          "<!{{x}}>",
                          "<!-- {{x}} -->",
                          "<!-- {{x}}>-->",
                          "<!-{{x}}",
                          "<script>{{x}}</script>",
                          "<SCRIPT>{{x}}</SCRIPT>",
                          "<style>{{x}}</style>",
                          "<a onclick=\"f('{{x}}')\">",
                          "<a ONLOAD='{{x}}'>",
                          "<a style=\"{{x}}\">",
                          "<iframe srcdoc=\"{{x}}\">",
                          "<title></ti{{x}}</title>",
                          "<<a href={{x}}>",
                          "<a/b={{x}}>"})
    BOOST_TEST(is_refused(bad), bad);
  for (const auto* good :
       {"{{x}}", "<p>{{x}}</p>", "<!-- x -->{{x}}", "<title>{{x}}</title>",
        "<textarea a='{{x}}'>{{x}}</textarea>{{x}}", "<a b=\"{{x}}\"c='{{x}}'/>",
        "<script>a < b && '</scr'</script>{{x}}", "<!doctype html>{{x}}", "a < b {{x}} 1<2",
        "<style>p{}</style >{{x}}", "<br/>{{x}}", "<?x?>{{x}}", "<title></titles></title>{{x}}"})
    BOOST_TEST(!is_refused(good), good);
}

BOOST_AUTO_TEST_CASE(comments_end_where_a_browser_ends_them) {
  for (const auto* ended : {"<!-->", "<!--->", "<!---->", "<!-- a -- b -->", "<!--a--!>", "<!>",
                            "<!-- <a href= -->", "<!--- a ---->"})
    BOOST_TEST(!is_refused(std::string{ended} + "<b c=\"{{x}}\">"), ended);
  for (const auto* open : {"<!-- a", "<!-- a ->", "<!-- a --!", "<!-- a -- >"})
    BOOST_TEST(is_refused(open), open);
}

// Some mail readers read what stands in these.
BOOST_AUTO_TEST_CASE(conditional_comments_are_read_as_html) {
  const std::string button = "<!--[if mso]><a href=\"{{url}}\">x</a><![endif]-->";
  BOOST_TEST(with_url(button, "javascript:1") == "<!--[if mso]><a href=\"#\">x</a><![endif]-->");
  BOOST_TEST(!is_refused("<!--[if !mso]><!--><p>{{x}}</p><!--<![endif]-->{{x}}"));
  BOOST_TEST(is_refused("<!--[if mso]><a href={{x}}><![endif]-->"));
}

BOOST_AUTO_TEST_CASE(a_section_ends_in_the_place_it_begins_in) {
  for (const auto* bad :
       {"<a {{#x}}b=\"{{/x}}c\">", "{{#x}}<b c=\"{{/x}}d\">", "<a b={{#x}}c{{/x}}>",
        "<a b=c{{#x}}d{{/x}}>", "<a {{#x}}href{{/x}}=\"y\">", "<a b=\"{{#x}}\" c=\"{{/x}}\">",
        "{{#x}}<!--{{/x}}-->", "<title>{{#x}}</ti{{/x}}tle></title>", "{{#x}}<title>{{/x}}</title>",
        "<a b=\"{{#x}}'{{/x}}\" {{#x}}c='{{/x}}'>"})
    BOOST_TEST(is_refused(bad), bad);
  for (const auto* good :
       {"{{#x}}<b>{{/x}}a", "<a {{#x}}b=\"c\" {{/x}}d>", "<a b=\"{{#x}}c{{/x}}\">",
        "<ul>{{#x}}<li><a href=\"{{.}}\">{{/x}}</ul>", "<a b=\"{{#x}}\" b=\"{{/x}}\">"})
    BOOST_TEST(!is_refused(good), good);
}

BOOST_AUTO_TEST_CASE(html_that_stops_in_the_middle_is_refused) {
  for (const auto* bad : {"<a", "<a b=\"c", "<p>x</p", "<title>x", "<script>", "x<"})
    BOOST_TEST(is_refused(bad), bad);
}

BOOST_AUTO_TEST_CASE(controls_in_a_value_become_blanks_in_html) {
  const std::string all{"a\0b\x01\x02\x03\x04\x1F"
                        "c\t\r\n",
                        12};
  BOOST_TEST(arauto::html_escaped(all) == "a b     c\t\r\n");
}

BOOST_AUTO_TEST_SUITE_END()
