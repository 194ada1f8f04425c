// From a body to a notification, and from the ledger's answer to a reply: pure, so every limit of
// the contract is tried here (design 6; S07-S09, S11).
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "http/notification_shape.hpp"

using namespace arauto;
using namespace arauto::http;
using nlohmann::json;

namespace {

const unix_time now = *read_time("2026-03-01T12:00:00Z");

struct fixture {
  json body = {{"user_id", "u-1"}, {"type", "order.shipped"}, {"client_operation_id", "o-1"}};
  std::optional<std::string_view> header;

  or_problem<notification> read(const std::string& text) const {
    return read_notification(text, header, http_settings{}, now);
  }
  notification accepted() const {
    auto made = read(body.dump());
    if (const auto* no = std::get_if<problem>(&made)) BOOST_FAIL(problem_body(*no, "r"));
    return std::get<notification>(std::move(made));
  }
  // "code pointer pointer..."
  std::string refused(const std::string& text) const {
    const auto made = read(text);
    const auto* no = std::get_if<problem>(&made);
    if (no == nullptr) return "accepted";
    std::string told{kind_of(no->code).word};
    for (const auto& error : no->errors)
      told += " " + error.pointer;
    return told;
  }
  std::string refused() const { return refused(body.dump()); }
  std::string refused_with(const char* member, const json& value) const {
    auto changed = body;
    changed[member] = value;
    return refused(changed.dump());
  }
};

std::string text_of(std::size_t bytes) {
  return std::string(bytes, 'x');
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(notification_shape, fixture)

BOOST_AUTO_TEST_CASE(the_least_notification_has_the_defaults_of_the_contract) {
  const auto made = accepted();
  BOOST_TEST(made.user.text == "u-1");
  BOOST_TEST(made.type == "order.shipped");
  BOOST_TEST(made.operation.text == "o-1");
  BOOST_TEST(made.variables == "{}");
  BOOST_TEST(!made.channels_given);
  BOOST_TEST(made.channels.empty());
  BOOST_TEST((made.urgency == priority::normal));
  BOOST_TEST(made.send_at.empty());
  BOOST_TEST(made.expires_at.empty());
}

BOOST_AUTO_TEST_CASE(everything_that_may_be_said_arrives) {
  body["channels"] = {"push", "email"};
  body["priority"] = "urgent";
  body["send_at"] = "2026-03-02T09:00:00-03:00";
  body["expires_at"] = "2026-03-03T00:00:00Z";
  body["variables"] = {{"name", "Ana"}};
  const auto made = accepted();
  BOOST_TEST(made.channels_given);
  BOOST_TEST((made.channels == std::vector{channel::email, channel::push}));
  BOOST_TEST((made.urgency == priority::urgent));
  BOOST_TEST(made.send_at == "2026-03-02T12:00:00.000000Z");
  BOOST_TEST(made.expires_at == "2026-03-03T00:00:00.000000Z");
  BOOST_TEST(made.variables == R"({"name":"Ana"})");
}

BOOST_AUTO_TEST_CASE(numbers_in_variables_stay_as_they_were_written) {
  const auto made = read(R"({"user_id":"u","type":"t","client_operation_id":"o",
    "variables": {"order": 18446744073709551616, "total": 9007199254740993.0}})");
  BOOST_REQUIRE(std::holds_alternative<notification>(made));
  BOOST_TEST(std::get<notification>(made).variables
             == R"({"order":18446744073709551616,"total":9007199254740993.0})");
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_shape_are_told_at_once) {
  BOOST_TEST(refused("{}") == "invalid-request /user_id /type /client_operation_id");
  BOOST_TEST(refused(R"({"user_id":1,"type":[],"client_operation_id":null,"colour":"red"})")
             == "invalid-request /colour /user_id /type /client_operation_id");
}

BOOST_AUTO_TEST_CASE(what_is_not_an_object_is_refused) {
  BOOST_TEST(refused("[]") == "invalid-request ");
  BOOST_TEST(refused("\"x\"") == "invalid-request ");
  BOOST_TEST(refused("") == "invalid-json ");
  BOOST_TEST(refused("{") == "invalid-json ");
  BOOST_TEST(refused("{} {}") == "invalid-json ");
}

BOOST_AUTO_TEST_CASE(the_json_door_refuses_duplicates_and_broken_text) {
  BOOST_TEST(refused(R"({"user_id":"u-1","user_id":"u-2"})") == "invalid-json /user_id");
  BOOST_TEST(refused(R"({"variables":{"a":1,"a":2}})") == "invalid-json /variables/a");
  BOOST_TEST(refused("{\"user_id\":\"\xff\"}").substr(0, 12) == "invalid-json");
  BOOST_TEST(refused(R"({"user_id":"\ud800"})").substr(0, 12) == "invalid-json");
  BOOST_TEST(refused("\xef\xbb\xbf{}").substr(0, 12) == "invalid-json");
  BOOST_TEST(refused(R"({"user_id":"a\u0000b"})").substr(0, 12) == "invalid-json");
}

BOOST_AUTO_TEST_CASE(nothing_of_the_input_is_quoted_in_a_refusal) {
  for (const auto* text :
       {R"({"user_id":"OTP-482913","type":"OTP 482913"})", R"({"variables":{"code":"OTP-482913")",
        R"("OTP-482913")", R"({"user_id":1e482913})", "OTP-482913"}) {
    const auto made = read(text);
    BOOST_REQUIRE(std::holds_alternative<problem>(made));
    BOOST_TEST(problem_body(std::get<problem>(made), "r").find("482913") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(names_have_limits_and_are_never_cut) {
  BOOST_TEST(refused_with("user_id", text_of(255)) == "accepted");
  BOOST_TEST(refused_with("user_id", text_of(256)) == "invalid-request /user_id");
  BOOST_TEST(refused_with("user_id", "") == "invalid-request /user_id");
  BOOST_TEST(refused_with("user_id", "a\nb") == "invalid-request /user_id");
  BOOST_TEST(refused_with("user_id", "usu\xc3\xa1rio 1") == "accepted");
  BOOST_TEST(refused_with("type", text_of(128)) == "accepted");
  BOOST_TEST(refused_with("type", text_of(129)) == "invalid-request /type");
  BOOST_TEST(refused_with("type", "a b") == "invalid-request /type");
  BOOST_TEST(refused_with("type", "a/b") == "invalid-request /type");
}

BOOST_AUTO_TEST_CASE(operation_ids_are_compared_byte_for_byte_and_have_limits) {
  BOOST_TEST(refused_with("client_operation_id", text_of(255)) == "accepted");
  for (const auto& bad : {text_of(256), text_of(5000), text_of(0), std::string{"   "},
                          std::string{"a\tb"}, std::string{"a\x7f"}})
    BOOST_TEST(refused_with("client_operation_id", bad) == "invalid-request /client_operation_id");
  body["client_operation_id"] = "k1 ";
  BOOST_TEST(accepted().operation.text == "k1 ");
  body["client_operation_id"] = "\xf0\x9f\x93\xaf";
  BOOST_TEST(accepted().operation.text == "\xf0\x9f\x93\xaf");
}

BOOST_AUTO_TEST_CASE(the_header_may_carry_the_operation_id) {
  header = "o-2";
  BOOST_TEST(refused() == "operation-id-mismatch /client_operation_id");
  header = "o-1";
  BOOST_TEST(accepted().operation.text == "o-1");
  body.erase("client_operation_id");
  BOOST_TEST(accepted().operation.text == "o-1");
  header = "  ";
  BOOST_TEST(refused() == "invalid-request ");
  header = "\xff";
  BOOST_TEST(refused() == "invalid-request ");
}

BOOST_AUTO_TEST_CASE(variables_are_an_object_within_64_kib) {
  for (const auto& bad : {json(1), json("x"), json::array(), json(nullptr), json(true)})
    BOOST_TEST(refused_with("variables", bad) == "invalid-request /variables");
  // {"a":"..."} around 65,528 characters is exactly 64 KiB
  BOOST_TEST(refused_with("variables", {{"a", text_of(65'536 - 8)}}) == "accepted");
  BOOST_TEST(refused_with("variables", {{"a", text_of(65'536 - 7)}}) == "too-large /variables");
}

BOOST_AUTO_TEST_CASE(channels_are_a_list_of_known_words_without_repeats) {
  BOOST_TEST(refused_with("channels", json::array()) == "invalid-request /channels");
  BOOST_TEST(refused_with("channels", "email") == "invalid-request /channels");
  BOOST_TEST(refused_with("channels", {"email", 1}) == "invalid-request /channels/1");
  BOOST_TEST(refused_with("channels", {"email", "email"}) == "invalid-request /channels/1");
  BOOST_TEST(refused_with("channels", {"email", "fax"}) == "unknown-channel /channels/1");
  BOOST_TEST(refused_with("channels", {"Email"}) == "unknown-channel /channels/0");
}

BOOST_AUTO_TEST_CASE(times_must_make_sense_together) {
  BOOST_TEST(refused_with("send_at", "tomorrow") == "invalid-request /send_at");
  BOOST_TEST(refused_with("send_at", 1'772'000'000) == "invalid-request /send_at");
  BOOST_TEST(refused_with("send_at", "2026-02-01T00:00:00Z") == "accepted"); // at once
  BOOST_TEST(refused_with("send_at", "2026-05-30T12:00:00Z") == "accepted");
  BOOST_TEST(refused_with("send_at", "2026-05-30T12:00:00.000001Z") == "invalid-time /send_at");
  BOOST_TEST(refused_with("expires_at", "2020-01-01T00:00:00Z") == "accepted"); // not judged here
  body["send_at"] = "2026-03-02T00:00:00Z";
  BOOST_TEST(refused_with("expires_at", "2026-03-02T00:00:00Z") == "invalid-time /expires_at");
  BOOST_TEST(refused_with("expires_at", "2026-03-01T21:00:01-03:00") == "accepted");
}

BOOST_AUTO_TEST_CASE(priority_has_two_words) {
  BOOST_TEST(refused_with("priority", "normal") == "accepted");
  BOOST_TEST(refused_with("priority", "high") == "invalid-request /priority");
}

BOOST_AUTO_TEST_CASE(an_acceptance_is_told_with_its_place) {
  accept_answer said;
  said.id.text = "0195-id";
  said.created_at = "2026-03-01T12:00:00.000000Z";
  said.deliveries = {{channel::email, state::leased}, {channel::push, state::suppressed}};
  auto told = std::get<answer>(told_acceptance(accepted(), said));
  BOOST_TEST(told.status == 202);
  BOOST_TEST(
      told.body
      == R"({"id":"0195-id","status":"in_progress",)"
         R"("created_at":"2026-03-01T12:00:00.000000Z","deliveries":[)"
         R"({"channel":"email","state":"leased"},{"channel":"push","state":"suppressed"}]})");
  BOOST_REQUIRE(told.headers.size() == 1u);
  BOOST_TEST(told.headers[0].first == "Location");
  BOOST_TEST(told.headers[0].second == "/v1/notifications/0195-id");
  said.verdict = acceptance::replayed;
  told = std::get<answer>(told_acceptance(accepted(), said));
  BOOST_TEST(told.status == 202);
  BOOST_TEST(told.headers.back().first == "Idempotent-Replayed");
  said.deliveries.clear();
  told = std::get<answer>(told_acceptance(accepted(), said));
  BOOST_TEST(json::parse(told.body)["status"] == "suppressed");
  BOOST_TEST(json::parse(told.body)["deliveries"].empty());
}

BOOST_AUTO_TEST_CASE(each_refusal_of_the_ledger_has_its_code_and_place) {
  const auto told = [&](acceptance verdict, const std::string& subject) {
    accept_answer said;
    said.verdict = verdict;
    said.subject = subject;
    const auto no = std::get<problem>(told_acceptance(accepted(), said));
    std::string text{kind_of(no.code).word};
    for (const auto& error : no.errors)
      text += " " + error.pointer;
    return text + (no.retry_after_s > 0 ? " later" : "");
  };
  BOOST_TEST(told(acceptance::conflict, "") == "idempotency-conflict");
  BOOST_TEST(told(acceptance::unknown_user, "") == "unknown-user /user_id");
  BOOST_TEST(told(acceptance::no_template, "") == "no-template /type");
  body["channels"] = {"email"};
  BOOST_TEST(told(acceptance::no_template, "email") == "no-template /channels");
  BOOST_TEST(told(acceptance::missing_variable, "a/b") == "missing-variable /variables/a~1b");
  BOOST_TEST(told(acceptance::in_progress, "") == "operation-in-progress later");
}

BOOST_AUTO_TEST_CASE(a_notification_is_told_without_variables_and_without_empty_members) {
  storage::event_view event;
  event.id.text = "e-1";
  event.user.text = "u-1";
  event.type = "t";
  event.operation = "o-1";
  event.priority = "normal";
  event.created_at = "2026-03-01T12:00:00.000000Z";
  storage::delivery_view delivery;
  delivery.now = state::retry_wait;
  delivery.attempts = 1;
  delivery.cause = "greylisted";
  delivery.detail = "usu\xe1rio"; // a provider's Latin-1 that slipped through
  delivery.trail.push_back({1, "a", "b", "refused_for_now", 451, ""});
  event.deliveries.push_back(delivery);
  const auto told = json::parse(told_event(event));
  BOOST_TEST(told["status"] == "in_progress");
  BOOST_TEST(!told.contains("variables"));
  BOOST_TEST(!told.contains("send_at"));
  const auto& first = told["deliveries"][0];
  BOOST_TEST(first["state"] == "retry_wait");
  BOOST_TEST(first["cause"] == "greylisted");
  BOOST_TEST(first["detail"] == "usu\xef\xbf\xbdrio");
  BOOST_TEST(!first.contains("provider_ref"));
  BOOST_TEST(first["trail"] == json::parse(R"([{"number":1,"begun_at":"a","ended_at":"b",
                                               "outcome":"refused_for_now","code":451}])"));
}

BOOST_AUTO_TEST_CASE(stops_are_told_by_channel) {
  const auto told = json::parse(told_stops(
      {"e-1"}, {{{"e-1"}, channel::email, "stopped"}, {{"e-1"}, channel::push, "in_flight"}}));
  BOOST_TEST(told == json::parse(R"({"id":"e-1","deliveries":[
    {"channel":"email","result":"stopped"},{"channel":"push","result":"in_flight"}]})"));
}

BOOST_AUTO_TEST_SUITE_END()
