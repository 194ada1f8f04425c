// One operation, one event (P2; S09-S11): how a repeat is told from a conflict, and what fifty
// repeats at once come to.
#include <atomic>
#include <set>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "tests/support/running_service.hpp"

using namespace arauto;
using namespace arauto::tests;

BOOST_FIXTURE_TEST_SUITE(operation, running_service)

BOOST_AUTO_TEST_CASE(the_same_operation_written_differently_is_a_repeat) {
  const std::string head =
      R"({"user_id":"ana","type":"order.shipped","client_operation_id":"o-1",)";
  const auto post = [&](const std::string& body, const header_list& more = {}) {
    return ask("POST", "/v1/notifications", body, more);
  };
  const auto first = post(head + R"("variables":{"order":"é/1","n":{"a":1,"b":[1,2]}}})");
  BOOST_REQUIRE_MESSAGE(first.status == 202, first.text);
  for (const std::string body :
       {R"({"variables":{"n":{"b":[1,2],"a":1},"order":"é/1"},"client_operation_id":"o-1",
            "type":"order.shipped","user_id":"ana"})",
        R"({"user_id":"ana","type":"order.shipped","client_operation_id":"o-1",
            "variables":{"order":"\u00e9\/1","n":{"a":1,"b":[1,2]}},"priority":"normal"})"}) {
    const auto again = post(body, {{"Content-Type", "application/json; charset=utf-8"}});
    BOOST_TEST(again.status == 202, body);
    BOOST_TEST(again.header("idempotent-replayed") == "true");
    BOOST_TEST(again.body["id"] == first.body["id"]);
    BOOST_TEST(again.body["created_at"] == first.body["created_at"]);
    BOOST_TEST(again.header("location") == first.header("location"));
  }
  for (const std::string variables :
       {R"({"order":"é/2","n":{"a":1,"b":[1,2]}})", R"({"order":"é/1","n":{"a":1,"b":[2,1]}})",
        R"({"order":"é/1","n":{"a":"1","b":[1,2]}})", R"({"order":"é/1"})",
        "{\"order\":\"e\xcc\x81/1\",\"n\":{\"a\":1,\"b\":[1,2]}}"}) {
    const auto other = post(head + "\"variables\":" + variables + "}");
    BOOST_TEST(other.code() == "idempotency-conflict", variables);
  }
  BOOST_TEST(value("select count(*) from arauto.event") == "1");
}

BOOST_AUTO_TEST_CASE(the_header_and_the_body_name_the_same_operation) {
  const std::string without = R"({"user_id":"ana","type":"order.shipped",
    "variables":{"order":"A-1"}})";
  const auto first = ask("POST", "/v1/notifications", without, {{"Idempotency-Key", "k 1"}});
  BOOST_REQUIRE_MESSAGE(first.status == 202, first.text);
  const auto again = post_order("k 1");
  BOOST_TEST(again.header("idempotent-replayed") == "true");
  BOOST_TEST(again.body["id"] == first.body["id"]);
  BOOST_TEST(post_order("k 2", {{"Idempotency-Key", "k 3"}}).code() == "operation-id-mismatch");
}

BOOST_AUTO_TEST_CASE(ids_are_compared_byte_for_byte) {
  std::set<std::string> ids;
  for (const std::string operation : {"k1", "K1", "k1 ", " k1", "k\xc3\xa9", "ke\xcc\x81"})
    ids.insert(post_order(operation).body.value("id", ""));
  BOOST_TEST(ids.size() == 6u);
}

BOOST_AUTO_TEST_CASE(a_repeat_of_a_finished_operation_tells_its_end) {
  const auto id = post_order("o-1").body["id"].get<std::string>();
  await_status(id, "completed");
  const auto again = post_order("o-1");
  BOOST_TEST(again.status == 202);
  BOOST_TEST(again.body["status"] == "completed");
  BOOST_TEST(mails_taken() == 1u);
}

BOOST_AUTO_TEST_CASE(fifty_posts_at_once_are_one_event) { // S10
  for (int round = 0; round < 10; ++round) {
    const auto operation = "round-" + std::to_string(round);
    std::vector<http_reply> replies(50);
    std::vector<std::thread> posters;
    for (auto& reply : replies)
      posters.emplace_back([&] { reply = post_order(operation); });
    for (auto& poster : posters)
      poster.join();
    std::set<std::string> ids;
    int created = 0;
    for (const auto& reply : replies) {
      BOOST_TEST(reply.status == 202);
      ids.insert(reply.body.value("id", reply.text));
      created += reply.header("idempotent-replayed").empty() ? 1 : 0;
    }
    BOOST_TEST(ids.size() == 1u);
    BOOST_TEST(created == 1);
  }
  BOOST_TEST(value("select count(*) from arauto.event") == "10");
  BOOST_TEST(value("select count(*) from arauto.delivery") == "10");
}

BOOST_AUTO_TEST_CASE(an_open_transaction_that_holds_the_id_is_told_as_in_progress) {
  storage::session other{settings()};
  const auto held =
      other.in_transaction(storage::reach::owner(), [&](storage::session::transaction& t) {
        t.run_script(
            "insert into arauto.event (id, tenant_id, user_id, type, variables, priority, "
            "client_key, fingerprint, created_at) values ('01890000-0000-7000-8000-000000000000', "
            "'acme', 'ana', 'order.shipped', '{}', 1, 'held', 'x', now())");
        const auto reply = post_order("held");
        BOOST_TEST(reply.status == 503);
        BOOST_TEST(reply.code() == "operation-in-progress");
        BOOST_TEST(reply.header("retry-after") == "1");
        return done{};
      });
  BOOST_TEST(static_cast<bool>(held));
}

BOOST_AUTO_TEST_SUITE_END()
