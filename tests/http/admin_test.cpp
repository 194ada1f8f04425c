// /v1/admin against a whole service: what operators do, when it is in force, and that it is written
// down (issue of keys and people; P8).
#include <chrono>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "storage/keys.hpp"
#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

struct operators_desk : running_service {
  operators_desk() { of_operator = new_key_for(db, {}); }
  http_reply admin(const std::string& method, const std::string& path,
                   const std::string& body = {}) const {
    return ask(method, "/v1/admin" + path, body, {{"Authorization", of_operator}});
  }
  // How long until `what` holds; fails after `most`.
  template <class What>
  void within(std::chrono::milliseconds most, What&& what) const {
    const auto begun = std::chrono::steady_clock::now();
    while (!what()) {
      BOOST_REQUIRE(std::chrono::steady_clock::now() - begun < most);
      std::this_thread::sleep_for(20ms);
    }
  }
  int status_with(const served& node, const std::string& key) const {
    return node.ask("GET", "/v1/users/ana", "", {{"Authorization", key}}).status;
  }
  std::string of_operator;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(admin, operators_desk)

BOOST_AUTO_TEST_CASE(a_tenant_is_made_changed_listed_and_stopped) {
  const auto made = admin("POST", "/tenants", R"({"id":"globex","name":"Globex"})");
  BOOST_TEST(made.status == 201, made.text);
  BOOST_TEST(made.header("location") == "/v1/admin/tenants/globex");
  BOOST_TEST(admin("POST", "/tenants", R"({"id":"globex"})").code() == "tenant-exists");
  for (const auto* wrong : {R"({"id":"Globex"})", R"({"id":"a_b"})", R"({"id":""})", R"({})",
                            R"({"id":"x","rate":5})", R"({"id":"x","name":""})"})
    BOOST_TEST(admin("POST", "/tenants", wrong).code() == "invalid-request", wrong);
  BOOST_TEST(admin("POST", "/tenants", R"({"id":"x","sender_address":"no address"})").code()
             == "invalid-address");
  const auto changed =
      admin("PATCH", "/tenants/globex", R"({"name":"G","sender_address":"a@globex.example"})");
  BOOST_TEST(changed.body["name"] == "G");
  BOOST_TEST(changed.body["sender_address"] == "a@globex.example");
  BOOST_TEST(!admin("PATCH", "/tenants/globex", R"({"sender_address":null})")
                  .body.contains("sender_address"));
  BOOST_TEST(admin("PATCH", "/tenants/nobody", R"({"name":"x"})").status == 404);
  const auto first = admin("GET", "/tenants?limit=1");
  BOOST_TEST(first.body["data"][0]["id"] == "acme");
  const auto second =
      admin("GET", "/tenants?limit=1&cursor=" + first.body["next"].get<std::string>());
  BOOST_TEST(second.body["data"][0]["id"] == "globex");
  BOOST_TEST(second.body["next"].is_null());

  BOOST_TEST(status_with(*this, bearer) == 200);
  BOOST_TEST(admin("PATCH", "/tenants/acme", R"({"status":"stopped"})").status == 200);
  within(1'000ms, [&] { return ask("GET", "/v1/users/ana").code() == "tenant-stopped"; });
  BOOST_TEST(admin("PATCH", "/tenants/acme", R"({"status":"active"})").status == 200);
  within(1'000ms, [&] { return status_with(*this, bearer) == 200; });
}

BOOST_AUTO_TEST_CASE(a_key_is_shown_once_and_ends_on_every_node_within_a_second) {
  served other{settings(), quick_http()};
  BOOST_TEST(
      admin("POST", "/keys", R"({"tenant":"acme","expires_at":"2020-01-01T00:00:00Z"})").code()
      == "invalid-time");
  const auto made = admin("POST", "/keys", R"({"tenant":"acme","name":"shop","scopes":["read"]})");
  BOOST_REQUIRE_MESSAGE(made.status == 201, made.text);
  const auto key = "Bearer " + made.body["key"].get<std::string>();
  const auto prefix = made.body["prefix"].get<std::string>();
  BOOST_TEST(admin("POST", "/keys", R"({"tenant":"acme"})").code() == "too-many-keys");
  BOOST_TEST(admin("POST", "/keys", R"({"tenant":"nobody"})").status == 404);
  for (const auto* wrong : {R"({})", R"({"tenant":"acme","scopes":[]})",
                            R"({"tenant":"acme","scopes":["all"]})", R"({"tenant":"acme","x":1})"})
    BOOST_TEST(admin("POST", "/keys", wrong).code() == "invalid-request", wrong);
  const auto listed = admin("GET", "/keys?tenant=acme");
  BOOST_TEST(listed.text.find(made.body["key"].get<std::string>().substr(22)) == std::string::npos);
  BOOST_TEST(listed.body["data"][1]["name"] == "shop");
  BOOST_TEST(listed.body["data"][1]["scopes"] == json({"read"}));
  BOOST_TEST(ask("PUT", "/v1/users/x", "{}", {{"Authorization", key}}).code() == "scope-missing");

  for (const auto* node : {static_cast<const served*>(this), static_cast<const served*>(&other)})
    BOOST_TEST(status_with(*node, key) == 200);
  BOOST_TEST(admin("DELETE", "/keys/" + prefix).status == 204);
  within(1'000ms, [&] { return status_with(*this, key) == 401 && status_with(other, key) == 401; });
  BOOST_TEST(status_with(other, bearer) == 200);
  BOOST_TEST(admin("DELETE", "/keys/unknown").status == 404);
}

BOOST_AUTO_TEST_CASE(a_key_past_its_end_is_refused) {
  const auto made =
      admin("POST", "/keys", R"({"tenant":"acme","expires_at":"2099-01-01T00:00:00Z"})");
  const auto key = "Bearer " + made.body["key"].get<std::string>();
  BOOST_TEST(status_with(*this, key) == 200);
  sql("update arauto.api_key set created_at = now() - interval '2 s', expires_at = now() - "
      "interval "
      "'1 s' where prefix = '"
      + made.body["prefix"].get<std::string>() + "'");
  within(1'000ms, [&] { return status_with(*this, key) == 401; });
}

BOOST_AUTO_TEST_CASE(limits_of_a_tenant_are_narrower_within_a_second) {
  BOOST_TEST(admin("GET", "/tenants/acme/limits").body
             == json::parse(R"({"body_bytes_max":null,"variables_bytes_max":null})"));
  for (const auto* wrong : {R"({"rate_per_s":5})", R"({"body_bytes_max":10})",
                            R"({"variables_bytes_max":9999999})", R"({"body_bytes_max":"many"})"})
    BOOST_TEST(admin("PUT", "/tenants/acme/limits", wrong).code() == "invalid-request", wrong);
  BOOST_TEST(admin("PUT", "/tenants/nobody/limits", "{}").status == 404);
  auto body = json::parse(order_body("o-1"));
  body["variables"]["more"] = std::string(200, 'x');
  BOOST_TEST(ask("POST", "/v1/notifications", body.dump()).status == 202);
  BOOST_TEST(admin("PUT", "/tenants/acme/limits", R"({"variables_bytes_max":100})").status == 200);
  body["client_operation_id"] = "o-2";
  within(1'000ms, [&] {
    const auto reply = ask("POST", "/v1/notifications", body.dump());
    return reply.code() == "too-large" && reply.body["errors"][0]["pointer"] == "/variables";
  });
  BOOST_TEST(post_order("o-3").status == 202);
  body["client_operation_id"] = "o-4";
  body["variables"]["more"] = std::string(1'200, 'x');
  BOOST_TEST(admin("PUT", "/tenants/acme/limits", R"({"body_bytes_max":1024})").status == 200);
  within(1'000ms, [&] { return ask("POST", "/v1/notifications", body.dump()).status == 413; });
  BOOST_TEST(post_order("o-5").status == 202);
  BOOST_TEST(admin("PUT", "/tenants/acme/limits", "{}").status == 200);
  within(1'000ms, [&] { return ask("POST", "/v1/notifications", body.dump()).status == 202; });
}

BOOST_AUTO_TEST_CASE(a_suppression_is_listed_by_digest_and_lifted_by_address) {
  sql("insert into arauto.suppression select 'acme', 'email', sha256(convert_to(a, 'UTF8')), "
      "'bad_address' from unnest(array['ana@example.com', 'bob@example.com']) a");
  const auto first = admin("GET", "/tenants/acme/suppressions?limit=1");
  const auto next = first.body["next"].get<std::string>();
  const auto second = admin("GET", "/tenants/acme/suppressions?limit=1&cursor=" + next);
  BOOST_TEST(second.body["data"].size() == 1u);
  BOOST_TEST(second.body["next"].is_null());
  BOOST_TEST(first.body["data"][0]["digest"] != second.body["data"][0]["digest"]);
  BOOST_TEST(await_status(post_order("o-1").body["id"], "suppressed")["deliveries"][0]["cause"]
             == "address_suppressed");
  const std::string lift = "/tenants/acme/suppressions/lift";
  BOOST_TEST(admin("POST", lift, R"({"channel":"email","address":"eve@example.com"})").status
             == 404);
  BOOST_TEST(admin("POST", lift, R"({"channel":"email","address":"ana@EXAMPLE.com"})").status
             == 204);
  BOOST_TEST(admin("POST", lift, R"({"channel":"push","address":"x"})").code()
             == "unknown-channel");
  BOOST_TEST(admin("POST", lift, R"({"channel":"email","address":"x"})").code()
             == "invalid-address");
  await_status(post_order("o-2").body["id"], "completed");
}

BOOST_AUTO_TEST_CASE(nodes_are_listed_and_what_was_done_is_told_newest_first) {
  const auto nodes = admin("GET", "/nodes").body["data"];
  BOOST_TEST(nodes.size() == 1u);
  BOOST_TEST(nodes[0]["alive"] == true);
  const auto made = admin("POST", "/tenants", R"({"id":"globex"})");
  admin("PATCH", "/tenants/globex", R"({"status":"stopped"})");
  const auto told = admin("GET", "/audit?tenant=globex&limit=1");
  BOOST_TEST(told.body["data"][0]["action"] == "tenant.change");
  BOOST_TEST(told.body["data"][0]["object"] == "status=stopped");
  const auto older =
      admin("GET", "/audit?tenant=globex&cursor=" + told.body["next"].get<std::string>());
  BOOST_TEST(older.body["data"].size() == 1u);
  BOOST_TEST(older.body["data"][0]["action"] == "tenant.create");
  BOOST_TEST(older.body["data"][0]["request_id"] == made.header("x-request-id"));
  BOOST_TEST(older.body["data"][0]["who"] == "key:" + of_operator.substr(13, 12));
  BOOST_TEST(admin("GET", "/audit?cursor=x").status == 400);
  BOOST_TEST(admin("GET", "/audit?limit=0").status == 400);
}

BOOST_AUTO_TEST_CASE(an_operator_door_says_nothing_to_a_tenant_about_what_is_there) {
  const auto looks = [&](const std::string& path) {
    auto reply = ask("GET", "/v1/admin" + path);
    reply.body.erase("request_id");
    return std::to_string(reply.status) + reply.body.dump();
  };
  BOOST_TEST(looks("/tenants/acme") == looks("/tenants/nobody"));
  BOOST_TEST(looks("/tenants/acme").find("operator-key-needed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_use_reaches_the_database_beside_the_requests) {
  auto door = quick_http();
  door.key_uses_apart = 50ms;
  served other{settings(), door};
  BOOST_TEST(status_with(other, bearer) == 200);
  within(5'000ms, [&] {
    return value("select count(last_used_at) from arauto.api_key where tenant_id = 'acme'") == "1";
  });
}

BOOST_AUTO_TEST_SUITE_END()
