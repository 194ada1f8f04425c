// The OpenAPI document and the program say the same: the same calls, the same problems. That real
// answers fit it is asked by tests/contract, of a running service.
#include <algorithm>
#include <map>
#include <set>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "http/openapi.hpp"
#include "http/routes.hpp"

using namespace arauto::http;
using nlohmann::json;

namespace {

const json& document() {
  static const auto read = json::parse(openapi_document());
  return read;
}

const std::set<std::string> methods{"get", "put", "post", "delete", "patch", "head", "options"};

// As the table writes it: /v1/users/{user_id} is /v1/users/{}.
std::string pattern_of(const std::string& path) {
  std::string pattern;
  bool named = false;
  for (const char c : path) {
    if (c == '}') named = false;
    if (!named) pattern += c;
    if (c == '{') named = true;
  }
  return pattern;
}

struct operation {
  const json* told = nullptr;
  const json* path = nullptr;
};

std::map<std::string, operation> operations() {
  std::map<std::string, operation> found;
  for (const auto& [path, item] : document()["paths"].items())
    for (const auto& [word, told] : item.items()) {
      if (methods.count(word) == 0) continue;
      std::string method;
      for (const char c : word)
        method += static_cast<char>(c - 'a' + 'A');
      found[method + " " + pattern_of(path)] = {&told, &item};
    }
  return found;
}

const json& resolved(const json& given) {
  const auto at = given.find("$ref");
  if (at == given.end()) return given;
  return document().at(json::json_pointer{at->get<std::string>().substr(1)});
}

// The codes that an answer of the document may carry.
std::set<std::string> codes_of(const json& response) {
  std::set<std::string> codes;
  static const json::json_pointer at{
      "/content/application~1problem+json/schema/allOf/1/properties/code/enum"};
  if (!response.contains(at)) return codes;
  for (const auto& code : response.at(at))
    codes.insert(code.get<std::string>());
  return codes;
}

std::string word_of(asks what) {
  static const std::map<asks, std::string> words = {
      {asks::nothing, "nothing"},         {asks::send, "send"},   {asks::read, "read"},
      {asks::preferences, "preferences"}, {asks::admin, "admin"}, {asks::house, "house"}};
  return words.at(what);
}

// The security of the document for it.
json keys_of(asks what) {
  if (what == asks::nothing) return json::array();
  return json::array({{{what == asks::house ? "operator_key" : "tenant_key", json::array()}}});
}

} // namespace

BOOST_AUTO_TEST_SUITE(openapi)

BOOST_AUTO_TEST_CASE(the_table_of_routes_and_the_document_are_the_same_set) {
  std::set<std::string> served;
  for (const auto& to : all_routes())
    served.insert(std::string{to.method} + " " + std::string{to.pattern});
  std::set<std::string> told;
  for (const auto& [name, at] : operations())
    told.insert(name);
  BOOST_TEST(served == told, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_call_tells_its_key_its_body_and_its_parameters) {
  const auto told = operations();
  for (const auto& to : all_routes()) {
    const auto name = std::string{to.method} + " " + std::string{to.pattern};
    const auto at = told.find(name);
    if (at == told.end()) continue; // said above
    const auto& one = *at->second.told;
    const auto security = one.value("security", document()["security"]);
    BOOST_TEST(security == keys_of(to.scope), name);
    BOOST_TEST(one.value("x-scope", "nothing") == word_of(to.scope), name);
    BOOST_TEST((to.body != body_rule::none) == one.contains("requestBody"), name);
    if (one.contains("requestBody"))
      BOOST_TEST((to.body != body_rule::optional) == one["requestBody"]["required"].get<bool>(),
                 name);
    auto parameters = one.value("parameters", json::array());
    for (const auto& shared : at->second.path->value("parameters", json::array()))
      parameters.push_back(shared);
    const bool queried = std::any_of(parameters.begin(), parameters.end(), [](const json& given) {
      return resolved(given)["in"] == "query";
    });
    if (to.scope != asks::nothing)
      BOOST_TEST(queried == to.reads_query, name); // the rest ignores a query
  }
}

BOOST_AUTO_TEST_CASE(the_catalogue_of_problems_and_the_document_are_the_same) {
  const auto& told = document()["components"]["schemas"]["problem_code"]["oneOf"];
  const auto& catalogue = problem_catalogue();
  BOOST_REQUIRE(told.size() == catalogue.size());
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    BOOST_TEST(told[i]["const"] == catalogue[i].word);
    BOOST_TEST(told[i]["x-status"] == catalogue[i].status, catalogue[i].word);
    BOOST_TEST(told[i]["title"] == catalogue[i].title, catalogue[i].word);
  }
}

BOOST_AUTO_TEST_CASE(each_problem_is_told_under_its_own_status_by_some_call) {
  std::map<std::string, std::set<int>> told; // code -> statuses
  for (const auto& [name, at] : operations())
    for (const auto& [status, answer] : (*at.told)["responses"].items())
      for (const auto& code : codes_of(resolved(answer)))
        told[code].insert(status == "default" ? 0 : std::stoi(status));
  for (const auto& kind : problem_catalogue()) {
    auto under = told[std::string{kind.word}];
    BOOST_TEST(!under.empty(), kind.word);
    under.erase(0);
    under.erase(kind.status);
    BOOST_TEST(under.empty(), kind.word);
    told.erase(std::string{kind.word});
  }
  for (const auto& [code, statuses] : told)
    BOOST_ERROR("no such problem: " + code);
}

BOOST_AUTO_TEST_SUITE_END()
