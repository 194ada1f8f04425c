// One operation, one event, whichever door it came by (P2; S10, S18). What a request means is the
// same over HTTP and in SQL, byte for byte where that counts.
#include <atomic>
#include <set>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "tests/support/running_service.hpp"
#include "tests/support/shop.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;

namespace {

struct both_doors : running_service {
  both_doors() { bind(db, role); }
  plain_role role{url};

  // As a client of HTTP writes it; the variables as the text they are.
  static std::string as_json(const call& what) {
    const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
    std::string json = "{\"user_id\":" + quoted(what.user) + ",\"type\":" + quoted(what.type)
                       + ",\"client_operation_id\":" + quoted(what.operation)
                       + ",\"variables\":" + what.variables;
    if (what.channels) {
      auto list = *what.channels;
      std::string names;
      for (const auto c : list.substr(1, list.size() - 2))
        names += c == ',' ? std::string{"\",\""} : std::string{c};
      json += ",\"channels\":[\"" + names + "\"]";
    }
    if (!what.priority.empty()) json += ",\"priority\":" + quoted(what.priority);
    if (!what.send_at.empty()) json += ",\"send_at\":" + quoted(what.send_at);
    if (!what.expires_at.empty()) json += ",\"expires_at\":" + quoted(what.expires_at);
    return json + "}";
  }
  http_reply post(const call& what) { return ask("POST", "/v1/notifications", as_json(what)); }
  // The id, or the SQLSTATE.
  std::string told(const call& what) {
    try {
      return notify_once(role.url, what);
    } catch (const pqxx::sql_error& e) {
      return e.sqlstate();
    }
  }
};

call of(
    const std::string& variables, const std::function<void(call&)>& change = [](call&) {}) {
  call made;
  made.variables = variables;
  change(made);
  return made;
}

// Each with another way to write the same.
std::vector<std::pair<call, call>> same_meanings() {
  const auto order = R"({"order":"A-1"})";
  const auto at = [&](const std::string& send, const std::string& expires) {
    return of(order, [&](call& c) { c.send_at = send, c.expires_at = expires; });
  };
  return {
      {of(order), of(R"(  {  "order" :"A-1"}  )")},
      {of(R"({"order":"São Tomé 😀","b":[1,{"x":null}],"a":true})"),
       of(R"({"a":true,"b":[1,{"x":null}],"order":"S\u00e3o Tom\u00E9 \ud83d\ude00"})")},
      {of(R"({"order":"a/b\"\\\n\t\r"})"), of(R"({"order":"a\/b\u0022\u005c\u000a\u0009\u000d"})")},
      {of(R"({"order":1.10})"), of(R"({"order":1.10e0})")},
      {of(R"({"order":18446744073709551616,"n":-0,"m":1e2})"),
       of(R"({"order":18446744073709551616,"n":0,"m":100})")},
      {of(R"({"order":"\b\f\u0001\u007f"})"), of(R"({"order":"\u0008\u000c\u0001\u007f"})")},
      {of(order, [](call& c) { c.channels = "{email}"; }),
       of(order, [](call& c) { c.channels = "{email}", c.priority = "normal"; })},
      {of(order, [](call& c) { c.priority = "urgent"; }),
       of(order, [](call& c) { c.priority = "urgent"; })},
      {at("2001-02-03T04:05:06.789012Z", "2037-01-01T00:00:00Z"),
       at("2001-02-03T05:05:06.789012+01:00", "2036-12-31T22:30:00-01:30")},
      {at("", "2037-12-31T23:59:59.000001Z"), at("", "2037-12-31T23:59:59.000001+00:00")},
      {at("1970-01-01T00:00:00Z", ""), at("1970-01-01T00:00:00.000000Z", "")},
  };
}

std::vector<std::pair<call, call>> other_meanings() {
  const auto order = R"({"order":1,"list":[1,2]})";
  return {
      {of(order), of(R"({"order":1.0,"list":[1,2]})")},
      {of(order), of(R"({"order":"1","list":[1,2]})")},
      {of(order), of(R"({"order":1,"list":[2,1]})")},
      {of(order), of(order, [](call& c) { c.priority = "urgent"; })},
      {of(order), of(order, [](call& c) { c.channels = "{email}"; })},
      {of(order), of(order, [](call& c) { c.send_at = "2001-01-01T00:00:00Z"; })},
      {of(order, [](call& c) { c.send_at = "2001-01-01T00:00:00.000001Z"; }),
       of(order, [](call& c) { c.send_at = "2001-01-01T00:00:00.000002Z"; })},
      {of(R"({"order":"\u00e9"})"), of(R"({"order":"e\u0301"})")},
  };
}

// What both refuse, and how each says it.
struct refusal {
  call what;
  std::string code, state;
};

std::vector<refusal> refusals() {
  const auto order = R"({"order":1})";
  const auto with = [&](const std::function<void(call&)>& change) { return of(order, change); };
  const std::string arrays_31 = std::string(31, '[') + std::string(31, ']');
  return {
      {of(R"({"order":1,"order":2})"), "invalid-json", "AR002"},
      {of(R"({"order":{"a":1,"\u0061":2}})"), "invalid-json", "AR002"},
      {of(R"({"order":"\u0000"})"), "invalid-json", "AR002"},
      {of(R"({"order":"\udc00"})"), "invalid-json", "AR002"},
      {of(R"({"order":1e400})"), "invalid-json", "AR002"},
      {of(R"({"order":1e-1000})"), "invalid-json", "AR002"},
      {of(R"({"order":0.)" + std::string(63, '1') + "}"), "invalid-json", "AR002"},
      {of(R"({"order":)" + arrays_31 + "}"), "invalid-json", "AR002"},
      {of("[]"), "invalid-request", "AR002"},
      {of("{\"order\":\"" + std::string(65'525, 'x') + "\"}"), "too-large", "AR011"},
      {of("{}"), "missing-variable", "AR009"},
      {with([](call& c) { c.user = std::string(256, 'u'); }), "invalid-request", "AR002"},
      {with([](call& c) { c.user = "a\tb"; }), "invalid-request", "AR002"},
      {with([](call& c) { c.user = "nobody"; }), "unknown-user", "AR006"},
      {with([](call& c) { c.type = "a b"; }), "invalid-request", "AR002"},
      {with([](call& c) { c.type = "no.such"; }), "no-template", "AR008"},
      {with([](call& c) { c.channels = "{push}"; }), "no-template", "AR008"},
      {with([](call& c) { c.channels = "{pigeon}"; }), "unknown-channel", "AR007"},
      {with([](call& c) { c.channels = "{email,email}"; }), "invalid-request", "AR002"},
      {with([](call& c) { c.priority = "high"; }), "invalid-request", "AR002"},
      {with([](call& c) { c.send_at = "1969-12-31T23:59:59Z"; }), "invalid-request", "AR002"},
      {with([](call& c) { c.send_at = "9999-01-01T00:00:00Z"; }), "invalid-time", "AR010"},
      {with([](call& c) { c.expires_at = "2001-01-01T00:00:00Z"; }), "invalid-time", "AR010"},
      {with([](call& c) { c.send_at = c.expires_at = "2001-01-01T00:00:00Z"; }), "invalid-time",
       "AR010"},
  };
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(both_doors_agree, both_doors)

BOOST_AUTO_TEST_CASE(the_same_request_is_the_same_event_by_either_door) {
  int number = 0;
  for (auto [one, other] : same_meanings())
    for (int turn = 0; turn < 2; ++turn) {
      one.operation = other.operation = "same-" + std::to_string(++number);
      const auto posted = post(one);
      BOOST_REQUIRE_MESSAGE(posted.status == 202, posted.text);
      BOOST_TEST(told(one) == posted.body["id"].get<std::string>(), as_json(one));
      BOOST_TEST(told(other) == posted.body["id"].get<std::string>(), as_json(other));
      one.operation = other.operation = "turned-" + std::to_string(number);
      const auto id = told(one);
      for (const auto& again : {post(one), post(other)}) {
        BOOST_TEST(again.status == 202);
        BOOST_TEST(again.body.value("id", again.text) == id, as_json(other));
        BOOST_TEST(again.header("idempotent-replayed") == "true");
      }
      std::swap(one, other);
    }
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_the_same_text) {
  const auto wanted =
      of(R"({ "order" : "S\u00e3o \"\/\\ \ud83d\ude00", "n" : [ 1.50, -0, 1E5 ] })");
  auto posted = wanted, in_sql = wanted;
  posted.operation = "posted";
  in_sql.operation = "told";
  BOOST_TEST(post(posted).status == 202);
  told(in_sql);
  BOOST_TEST(value("select count(distinct variables::text) || ' ' || min(variables::text) from "
                   "arauto.event")
             == R"(1 {"order":"São \"/\\ 😀","n":[1.50,-0,1E5]})");
}

BOOST_AUTO_TEST_CASE(another_meaning_is_a_conflict_by_either_door) {
  int number = 0;
  for (auto [one, other] : other_meanings()) {
    one.operation = other.operation = "other-" + std::to_string(++number);
    BOOST_TEST(post(one).status == 202);
    BOOST_TEST(told(other) == "AR005", as_json(other));
    one.operation = other.operation = "turned-" + std::to_string(number);
    told(one);
    BOOST_TEST(post(other).code() == "idempotency-conflict", as_json(other));
  }
}

BOOST_AUTO_TEST_CASE(a_tenants_own_limit_holds_at_both_doors) {
  sql("insert into arauto.tenant_limit (tenant_id, variables_bytes_max) values ('acme', 20)");
  auto large = of(R"({"order":"1234567890"})");
  large.operation = "large";
  BOOST_TEST(post(large).code() == "too-large");
  BOOST_TEST(told(large) == "AR011");
  auto small = of(R"({"order":"12345678"})");
  small.operation = "small";
  BOOST_TEST(told(small) == post(small).body.value("id", ""));
}

BOOST_AUTO_TEST_CASE(what_one_refuses_the_other_refuses) {
  for (auto one : refusals()) {
    one.what.operation = "refused";
    BOOST_TEST(post(one.what).code() == one.code, as_json(one.what).substr(0, 200));
    BOOST_TEST(told(one.what) == one.state, as_json(one.what).substr(0, 200));
  }
  BOOST_TEST(value("select count(*) from arauto.event") == "0");
}

// Half of them in SQL, the others over HTTP to two nodes in turn.
BOOST_AUTO_TEST_CASE(fifty_at_once_by_both_doors_are_one_event_S10) {
  served second{settings(), quick_http()};
  second.bearer = bearer;
  for (int round = 0; round < 20; ++round) {
    const auto operation = "round-" + std::to_string(round);
    std::vector<std::string> ids(50);
    std::vector<std::thread> askers;
    for (std::size_t n = 0; n < ids.size(); ++n)
      askers.emplace_back([&, n] {
        if (n % 2 == 0) {
          ids[n] = told({operation});
          return;
        }
        const served& node = n % 4 == 1 ? static_cast<const served&>(*this) : second;
        auto reply = node.post_order(operation);
        // Who meets an open transaction is told to come again.
        for (int tries = 0; reply.code() == "operation-in-progress" && tries < 100; ++tries)
          reply = node.post_order(operation);
        ids[n] = reply.body.value("id", reply.text);
      });
    for (auto& asker : askers)
      asker.join();
    const std::set<std::string> distinct{ids.begin(), ids.end()};
    BOOST_TEST(distinct.size() == 1U, *distinct.begin() << " and " << *distinct.rbegin());
    BOOST_TEST(distinct.begin()->size() == 36U);
  }
  BOOST_TEST(value("select count(*) from arauto.event") == "20");
  BOOST_TEST(value("select count(*) from arauto.delivery") == "20");
  for (int tries = 0; mails_taken() + second.mails_taken() < 20U && tries < 200; ++tries)
    std::this_thread::sleep_for(50ms);
  BOOST_TEST(mails_taken() + second.mails_taken() == 20U);
}

BOOST_AUTO_TEST_CASE(an_open_transaction_that_told_it_is_in_progress_for_http_S10) {
  pqxx::connection connection{role.url};
  pqxx::work work{connection};
  const auto id = notify(work, {"o-1"});
  const auto reply = post_order("o-1");
  BOOST_TEST(reply.status == 503);
  BOOST_TEST(reply.code() == "operation-in-progress");
  BOOST_TEST(reply.header("retry-after") == "1");
  work.commit();
  BOOST_TEST(post_order("o-1").body["id"] == id);
  await_status(id, "completed");
}

BOOST_AUTO_TEST_SUITE_END()
