// Keys and tenants: who may ask, and that a foreign thing looks like an unknown one (P8; S06).
#include <thread>

#include <boost/test/unit_test.hpp>

#include "storage/keys.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;

namespace {

const std::string unknown_id = "01890000-0000-7000-8000-000000000000";

// Everything a client can see, without what differs in every answer.
std::string looks(http_reply reply) {
  reply.headers.erase("x-request-id");
  reply.headers.erase("date");
  std::string text = std::to_string(reply.status);
  for (const auto& [name, value] : reply.headers)
    text += "\n" + name + ": " + value;
  if (reply.body.is_object()) reply.body.erase("request_id");
  return text + "\n" + reply.body.dump();
}

struct two_tenants : running_service {
  two_tenants() {
    add_tenant(globex);
    other = new_key_for(db, globex);
  }
  http_reply as_other(const std::string& method, const std::string& path,
                      const std::string& body = {}) const {
    return ask(method, path, body, {{"Authorization", other}});
  }

  const tenant_id globex{"globex"};
  std::string other;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(tenancy, two_tenants)

BOOST_AUTO_TEST_CASE(foreign_and_unknown_things_look_the_same) {
  const auto id = post_order("o-1").body["id"].get<std::string>();
  const std::string root = "/v1/notifications/";
  BOOST_TEST(looks(as_other("GET", root + id)) == looks(as_other("GET", root + unknown_id)));
  BOOST_TEST(looks(as_other("POST", root + id + "/cancel"))
             == looks(as_other("POST", root + unknown_id + "/cancel")));
  for (const auto* method : {"GET", "DELETE"})
    BOOST_TEST(looks(as_other(method, "/v1/users/ana")) == looks(as_other(method, "/v1/users/x")));
  const std::string none = R"({"channels":{"email":false}})";
  BOOST_TEST(looks(as_other("PUT", "/v1/users/ana/preferences", none))
             == looks(as_other("PUT", "/v1/users/x/preferences", none)));
  const auto to_ana = as_other("POST", "/v1/notifications", order_body("o-2"));
  BOOST_TEST(to_ana.code() == "unknown-user");
  BOOST_TEST(await_status(id, "completed")["deliveries"][0]["state"] == "provider_accepted");
  BOOST_TEST(ask("GET", "/v1/users/ana").status == 200);
}

BOOST_AUTO_TEST_CASE(two_tenants_may_use_the_same_operation_id) { // S10
  add_user(globex, ana, "ana@example.net");
  const auto ours = post_order("1");
  const auto theirs = as_other("POST", "/v1/notifications", order_body("1"));
  BOOST_TEST(ours.status == 202);
  BOOST_TEST(theirs.status == 202);
  BOOST_TEST(ours.body["id"] != theirs.body["id"]);
  BOOST_TEST(theirs.header("idempotent-replayed").empty());
  BOOST_TEST(as_other("GET", "/v1/notifications?client_operation_id=1").body["id"]
             == theirs.body["id"]);
}

BOOST_AUTO_TEST_CASE(without_a_valid_key_nothing_is_told) {
  const auto refused = [&](const std::string& authorization) {
    const auto reply = ask("GET", "/v1/users/ana", "", {{"Authorization", authorization}});
    BOOST_TEST(reply.header("www-authenticate") == "Bearer realm=\"arauto\"");
    return looks(reply);
  };
  const auto none = refused("");
  BOOST_TEST(none.substr(0, 3) == "401");
  BOOST_TEST(refused("Basic YTpi") == none);
  BOOST_TEST(refused("Bearer ar_live_unknown_secret") == none);
  auto wrong = bearer;
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  BOOST_TEST(refused(wrong) == none);
}

BOOST_AUTO_TEST_CASE(a_revoked_key_ends_within_a_second) {
  BOOST_TEST(as_other("GET", "/v1/users/x").status == 404);
  const auto prefix = other.substr(15, other.find('_', 15) - 15);
  BOOST_REQUIRE(storage::revoke_key(db, prefix, a_test));
  std::this_thread::sleep_for(1100ms);
  BOOST_TEST(as_other("GET", "/v1/users/x").status == 401);
}

BOOST_AUTO_TEST_CASE(a_stopped_tenant_and_an_operators_key_are_told_apart) {
  const auto operator_key = new_key_for(db, {});
  BOOST_TEST(ask("GET", "/v1/users/ana", "", {{"Authorization", operator_key}}).code()
             == "tenant-key-needed");
  sql("update arauto.tenant set status = 'stopped' where id = 'globex'");
  BOOST_TEST(as_other("GET", "/v1/users/x").code() == "tenant-stopped");
}

BOOST_AUTO_TEST_SUITE_END()
