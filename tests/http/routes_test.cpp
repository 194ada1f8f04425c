// Which resource answers which path (S04: malformed ids and odd paths).
#include <boost/test/unit_test.hpp>

#include "http/routes.hpp"

using namespace arauto::http;

namespace {

std::string found(std::string_view method, std::string_view path) {
  const auto read = find_route(all_routes(), method, path);
  if (const auto* no = std::get_if<problem>(&read))
    return std::to_string(kind_of(no->code).status) + " " + no->allow;
  const auto& at = std::get<route_found>(read);
  std::string text{all_routes()[at.at].pattern};
  for (const auto& name : at.names)
    text += " <" + name + ">";
  return text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(routes)

BOOST_AUTO_TEST_CASE(each_call_of_the_contract_has_its_route) {
  BOOST_TEST(found("POST", "/v1/notifications") == "/v1/notifications");
  BOOST_TEST(found("GET", "/v1/notifications") == "/v1/notifications");
  BOOST_TEST(found("GET", "/v1/notifications/7") == "/v1/notifications/{} <7>");
  BOOST_TEST(found("POST", "/v1/notifications/7/cancel") == "/v1/notifications/{}/cancel <7>");
  BOOST_TEST(found("PUT", "/v1/users/u-1") == "/v1/users/{} <u-1>");
  BOOST_TEST(found("DELETE", "/v1/users/u-1") == "/v1/users/{} <u-1>");
  BOOST_TEST(found("GET", "/v1/users/u-1/preferences") == "/v1/users/{}/preferences <u-1>");
  BOOST_TEST(found("PUT", "/v1/templates/a.b/email") == "/v1/templates/{}/{} <a.b> <email>");
  BOOST_TEST(found("HEAD", "/healthz") == "/healthz");
}

BOOST_AUTO_TEST_CASE(a_known_path_with_another_method_says_what_is_allowed) {
  BOOST_TEST(found("DELETE", "/v1/notifications") == "405 POST, GET, HEAD, OPTIONS");
  BOOST_TEST(found("OPTIONS", "/v1/notifications/7") == "405 GET, HEAD, OPTIONS");
  BOOST_TEST(found("GET", "/v1/notifications/7/cancel") == "405 POST, OPTIONS");
  BOOST_TEST(found("POST", "/v1/users/u-1") == "405 PUT, GET, HEAD, DELETE, OPTIONS");
  BOOST_TEST(found("POST", "/metrics") == "405 GET, HEAD, OPTIONS");
  BOOST_TEST(found("get", "/healthz") == "405 GET, HEAD, OPTIONS");
}

BOOST_AUTO_TEST_CASE(odd_paths_are_not_found) {
  for (const auto* path :
       {"", "*", "/", "/v1", "/v1/", "/v1/notifications/", "//v1/notifications",
        "/v1/notifications/7/", "/v1/notifications/7/cancel/", "/v1/users//x", "/v1//users",
        "/V1/notifications", "/healthz/", "/%68ealthz", "/v1/notifications/%u0041",
        "/v1/notifications/%", "/v1/users/%2", "/v1/users/%zz", "/v1/users/a%"})
    BOOST_TEST(found("GET", path) == "404 ", path);
}

BOOST_AUTO_TEST_CASE(an_encoded_slash_stays_inside_its_segment) {
  BOOST_TEST(found("GET", "/v1/users/a%2Fb") == "/v1/users/{} <a/b>");
  BOOST_TEST(found("GET", "/v1/users/..%2F..") == "/v1/users/{} <../..>");
  BOOST_TEST(found("GET", "/v1/notifications/7%2Fcancel") == "/v1/notifications/{} <7/cancel>");
  BOOST_TEST(found("GET", "/v1/users/caf%C3%A9+1") == "/v1/users/{} <caf\xc3\xa9+1>");
}

BOOST_AUTO_TEST_CASE(a_query_is_read_strictly) {
  const auto value = [](std::string_view query) -> std::string {
    const auto read = read_query(query, {"locale"});
    if (std::holds_alternative<problem>(read)) return "refused";
    const auto& parameters = std::get<0>(read);
    const auto at = parameters.find("locale");
    return at == parameters.end() ? "absent" : at->second;
  };
  BOOST_TEST(value("") == "absent");
  BOOST_TEST(value("locale=pt-BR") == "pt-BR");
  BOOST_TEST(value("locale=a%2Bb+c") == "a+b c");
  BOOST_TEST(value("locale=a=b&") == "a=b");
  BOOST_TEST(value("locale") == "");
  BOOST_TEST(value("locale=a&locale=b") == "refused");
  BOOST_TEST(value("loc=a") == "refused");
  BOOST_TEST(value("locale=%zz") == "refused");
}

BOOST_AUTO_TEST_SUITE_END()
