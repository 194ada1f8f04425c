// Every call that takes an id, from the table of routes itself (S06, I17): what belongs to another
// tenant looks like what nobody has, in status, body and headers, and nothing of the other changes.
// A new route that this test cannot fill fails it.
#include <boost/test/unit_test.hpp>

#include "http/routes.hpp"
#include "storage/model/chance.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using nlohmann::json;

namespace {

enum class kind { foreign, unknown, random, malformed };

struct two_houses : running_service {
  two_houses() {
    add_tenant(globex);
    other = new_key_for(db, globex);
    add_user(globex, {"gus"}, "gus@example.net");
    done = post_order("done").body["id"];
    await_status(done, "completed");
    for (const auto* state : {"permanent_failure", "in_doubt"})
      ids[state] = row_in(state);
    BOOST_TEST(ask("PUT", "/v1/users/ana/devices/phone", R"({"provider":"fcm","token":"t"})").status
               == 201);
    BOOST_TEST(
        ask("PUT", "/v1/users/ana/preferences", R"({"types":{"news":{"email":false}}})").status
        == 200);
  }

  // An event of acme that stands in this state and moves by itself no more.
  std::string row_in(const std::string& state) {
    const auto id = new_event_id().text;
    sql("insert into arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, "
        "fingerprint, created_at) values ('"
        + id + "', 'acme', 'ana', 'order.shipped', '{}', 1, '" + state + "', 'x', now())");
    sql("insert into arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, "
        "cause, "
        "attempts, doubts, doubted_at, next_attempt_at, settled_at) values ('"
        + id + "', 'email', 'acme', 'ana', 1, '" + state + "', 'x', 1, 1, now(), 'infinity', "
        + (state == "in_doubt" ? "null" : "now()") + ")");
    return id;
  }

  std::string name_for(const std::string& noun, kind what, const std::string& state) const {
    const auto one_of = [&](const std::string& foreign, const std::string& unknown,
                            const std::string& random, const std::string& malformed) {
      return what == kind::foreign   ? foreign
             : what == kind::unknown ? unknown
             : what == kind::random  ? random
                                     : malformed;
    };
    if (noun == "notifications")
      return one_of(ids.count(state) != 0 ? ids.at(state) : done,
                    "01890000-0000-7000-8000-000000000000", new_event_id().text, "%00x");
    if (noun == "users") return one_of("ana", "nobody", random_base62(20), "%FF");
    if (noun == "devices") return one_of("phone", "no-phone", random_base62(20), "%FF");
    if (noun == "templates") return one_of("foreign.type", "no.such", random_base62(20), "%20");
    if (noun == "deliveries" || noun == "type") return one_of("email", "email", "email", "fax");
    BOOST_FAIL("what is an id of /" << noun << "? say so here");
    return {};
  }

  std::string path_for(std::string_view pattern, kind what, const std::string& state) const {
    std::string path, noun, segment;
    for (std::size_t i = 1; i <= pattern.size(); ++i) {
      if (i < pattern.size() && pattern[i] != '/') {
        segment += pattern[i];
        continue;
      }
      if (segment == "{}") {
        path += "/" + name_for(noun, what, state);
        noun = noun == "templates" ? "type" : noun;
      } else {
        path += "/" + segment;
        noun = segment;
      }
      segment.clear();
    }
    return path;
  }

  static std::string body_for(const http::route& to) {
    if (to.body != http::body_rule::json) return {};
    static const std::map<std::string, std::string> bodies = {
        {"/v1/notifications/{}/deliveries/{}/resolve", R"({"as":"accepted"})"},
        {"/v1/users/{}", R"({"email":"new@example.net"})"},
        {"/v1/users/{}/preferences", R"({"channels":{"email":false}})"},
        {"/v1/users/{}/devices/{}", R"({"provider":"fcm","token":"t"})"},
        {"/v1/templates/{}/{}", R"({"parts":{"subject":"s","text":"t"}})"},
    };
    const auto at = bodies.find(std::string{to.pattern});
    if (at != bodies.end()) return at->second;
    BOOST_FAIL("which body has " << to.pattern << "? say so here");
    return {};
  }

  // All that a client sees but what differs in every answer, and the name it gave itself.
  std::string looks(const http::route& to, kind what, const std::string& state) const {
    auto reply = ask(std::string{to.method}, path_for(to.pattern, what, state), body_for(to),
                     {{"Authorization", other}});
    reply.headers.erase("x-request-id");
    reply.headers.erase("date");
    std::string text = std::to_string(reply.status);
    for (const auto& [name, value] : reply.headers)
      if (name != "content-length") text += "\n" + name + ": " + value;
    if (reply.body.is_object())
      for (const auto* own : {"request_id", "user_id", "type"})
        if (reply.status >= 300 ? std::string_view{own} == "request_id" : true)
          reply.body.erase(own);
    return text + "\n" + reply.body.dump();
  }

  // Every row that names acme, whatever the table.
  std::string rows_of_acme() {
    std::string all;
    for (const auto& table :
         sql("select c.table_name from information_schema.columns c join information_schema.tables "
             "t "
             "using (table_schema, table_name) where table_schema = 'arauto' and column_name = "
             "'tenant_id' and table_type = 'BASE TABLE' order by 1")) {
      const std::string name = table[0].c_str();
      if (name == "api_key") continue; // its last use
      all += name + ":\n"
             + value("select coalesce(string_agg(t::text, E'\\n' order by t::text), '') from "
                     "arauto."
                     + name + " t where tenant_id = 'acme'")
             + "\n";
    }
    return all + value("select t::text from arauto.tenant t where id = 'acme'");
  }

  const tenant_id globex{"globex"};
  std::string other, done;
  std::map<std::string, std::string> ids; // by state
};

bool takes_an_id(const http::route& to) {
  return to.pattern.find("{}") != std::string_view::npos;
}

// PUT of what is not there makes it, for this tenant.
bool makes_what_is_not_there(const http::route& to) {
  return to.method == "PUT"
         && (to.pattern == "/v1/users/{}" || to.pattern == "/v1/templates/{}/{}");
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(matrix, two_houses)

BOOST_AUTO_TEST_CASE(no_call_tells_a_foreign_id_from_an_unknown_one) {
  sql("insert into arauto.template (tenant_id, type, channel, version, parts) values ('acme', "
      "'foreign.type', 'email', 1, '[]')");
  const auto before = rows_of_acme();
  BOOST_TEST(before.size() > 1'000u);
  int asked = 0;
  const auto compare = [&](const http::route& to, const char* state) {
    const auto name = std::string{to.method} + " " + std::string{to.pattern} + " " + state;
    const auto foreign = looks(to, kind::foreign, state);
    BOOST_TEST(foreign == looks(to, kind::unknown, state), name);
    BOOST_TEST(foreign == looks(to, kind::random, state), name);
    ++asked;
    if (makes_what_is_not_there(to)) return;
    BOOST_TEST(foreign == looks(to, kind::malformed, state), name);
    BOOST_TEST(foreign.substr(0, 3) == "404", name);
  };
  for (const bool makes : {false, true}) // those that make something last, and once
    for (const auto& to : http::all_routes()) {
      if (!takes_an_id(to) || to.scope == http::asks::nothing || to.scope == http::asks::house
          || makes_what_is_not_there(to) != makes)
        continue;
      for (const auto* state : {"completed", "permanent_failure", "in_doubt"})
        if (!makes || std::string_view{state} == "completed") compare(to, state);
    }
  BOOST_TEST(asked >= 3 * 9 + 2);
  BOOST_TEST(rows_of_acme() == before);
}

BOOST_AUTO_TEST_CASE(no_list_and_no_search_shows_what_belongs_to_another) {
  const auto before = rows_of_acme();
  for (const auto& to : http::all_routes()) {
    if (to.method != "GET" || takes_an_id(to) || to.scope == http::asks::nothing
        || to.scope == http::asks::house)
      continue;
    const auto reply = ask("GET", std::string{to.pattern}, "", {{"Authorization", other}});
    for (const auto& [state, id] : ids)
      BOOST_TEST(reply.text.find(id) == std::string::npos, to.pattern);
    BOOST_TEST(reply.text.find(done) == std::string::npos, to.pattern);
    BOOST_TEST(reply.text.find("ana") == std::string::npos, to.pattern);
  }
  const auto told = [&](const std::string& method, const std::string& path,
                        const std::string& body) {
    auto reply = ask(method, path, body, {{"Authorization", other}});
    if (reply.body.is_object()) reply.body.erase("request_id");
    return std::to_string(reply.status) + reply.body.dump();
  };
  BOOST_TEST(told("GET", "/v1/notifications?client_operation_id=done", "")
             == told("GET", "/v1/notifications?client_operation_id=none", ""));
  auto to_ana = json::parse(order_body("x")), to_nobody = to_ana;
  to_nobody["user_id"] = "nobody";
  BOOST_TEST(told("POST", "/v1/notifications", to_ana.dump())
             == told("POST", "/v1/notifications", to_nobody.dump()));
  told("POST", "/v1/dead-letters/replay", R"({"all":true,"even_if_doubtful":true})");
  BOOST_TEST(rows_of_acme() == before);
  // And the owner still can.
  BOOST_TEST(ask("GET", "/v1/users/ana").status == 200);
  BOOST_TEST(ask("POST", "/v1/notifications/" + ids["in_doubt"] + "/deliveries/email/resolve",
                 R"({"as":"accepted"})")
                 .status
             == 200);
}

BOOST_AUTO_TEST_CASE(the_dump_of_a_tenants_rows_sees_a_change_and_a_foreign_hand_goes_red) {
  const auto before = rows_of_acme();
  sql("update arauto.preference set allowed = not allowed where tenant_id = 'acme'");
  BOOST_TEST(rows_of_acme() != before);
}

BOOST_AUTO_TEST_CASE(an_operators_call_looks_the_same_to_a_tenant_whatever_is_there) {
  for (const auto& to : http::all_routes()) {
    if (to.scope != http::asks::house) continue;
    std::string seen;
    for (const auto* name : {"acme", "nobody", "%00"}) {
      std::string path{to.pattern};
      if (const auto at = path.find("{}"); at != std::string::npos) path.replace(at, 2, name);
      auto reply = ask(std::string{to.method}, path, "", {{"Authorization", other}});
      BOOST_TEST(reply.code() == "operator-key-needed", to.pattern);
      reply.body.erase("request_id");
      if (seen.empty()) seen = reply.body.dump();
      BOOST_TEST(seen == reply.body.dump());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
