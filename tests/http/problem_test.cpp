// How the API says no (RFC 9457): one catalogue, nothing quoted (S05).
#include <set>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "http/problem.hpp"
#include "http/reply.hpp"

using namespace arauto;
using namespace arauto::http;

BOOST_AUTO_TEST_SUITE(problems)

BOOST_AUTO_TEST_CASE(the_catalogue_is_complete_ordered_and_without_repeats) {
  const auto& catalogue = problem_catalogue();
  BOOST_TEST(catalogue.size() == static_cast<std::size_t>(problem_code::version_not_supported) + 1);
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    BOOST_TEST(static_cast<std::size_t>(catalogue[i].code) == i);
    BOOST_TEST(words.insert(catalogue[i].word).second);
    BOOST_TEST(catalogue[i].status >= 400);
    BOOST_TEST(!catalogue[i].title.empty());
  }
}

BOOST_AUTO_TEST_CASE(a_problem_is_written_as_rfc_9457_says) {
  const auto what = refusal(problem_code::missing_variable, "why", {{"/variables/a~1b", "needed"}});
  const auto body = nlohmann::json::parse(problem_body(what, "r-1"));
  BOOST_TEST(body == nlohmann::json::parse(R"({
    "type": "/problems/missing-variable", "status": 422, "code": "missing-variable",
    "title": "The template needs a variable that is absent", "detail": "why", "request_id": "r-1",
    "errors": [{"pointer": "/variables/a~1b", "detail": "needed"}]})"));
}

BOOST_AUTO_TEST_CASE(headers_come_with_the_codes_that_ask_for_them) {
  const auto header = [](const problem& what, std::string_view wanted) -> std::string {
    for (const auto& [name, value] : told_problem(what, "r").headers)
      if (name == wanted) return value;
    return "absent";
  };
  BOOST_TEST(header(problem_of({errc::unavailable, ""}), "Retry-After") == "2");
  BOOST_TEST(header(problem_of({errc::no_room, ""}), "Retry-After") == "1");
  BOOST_TEST(header(problem_of({errc::not_found, ""}), "Retry-After") == "absent");
  BOOST_TEST(header(refusal(problem_code::unauthorized), "WWW-Authenticate")
             == "Bearer realm=\"arauto\"");
  auto no = refusal(problem_code::method_not_allowed);
  no.allow = "GET, HEAD";
  BOOST_TEST(header(no, "Allow") == "GET, HEAD");
}

BOOST_AUTO_TEST_CASE(every_503_says_when_to_come_back) {
  for (int number = 0; number <= 16; ++number) {
    const auto what = problem_of({static_cast<errc>(number), "SECRET"});
    BOOST_TEST((kind_of(what.code).status != 503 || what.retry_after_s > 0), number);
    BOOST_TEST(problem_body(what, "r").find("SECRET") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(broken_utf_8_cannot_break_the_answer) {
  const auto what = refusal(problem_code::invalid_request, "\xff", {{"/\xe9", "\xc3"}});
  BOOST_TEST(nlohmann::json::accept(problem_body(what, "r")));
}

BOOST_AUTO_TEST_CASE(pointers_escape_what_rfc_6901_says) {
  BOOST_TEST(pointer_to("/variables", "a/b~c") == "/variables/a~1b~0c");
  BOOST_TEST(pointer_to("", "") == "/");
}

BOOST_AUTO_TEST_SUITE_END()
