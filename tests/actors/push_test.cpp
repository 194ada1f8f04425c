// One push, several devices (P3, P6, P7; S31, S36 at the actors' floor): what each provider says is
// scripted by the token, the database is real.
#include <boost/test/unit_test.hpp>

#include "tests/support/running_office.hpp"

namespace arauto::tests {

namespace {

using answer = scripted_port::answer;
using kind = arauto::provider;

struct pushing_office : running_office {
  pushing_office() {
    storage::template_view words;
    words.type = "order.shipped";
    words.via = channel::push;
    words.parts = {{"title", "Order {{order}}"}};
    words.required = {"order"};
    BOOST_REQUIRE(storage::put_template(db, acme, words));
  }
  void add_device(const std::string& id, kind via, const std::string& token,
                  const std::string& app = "") {
    sql("insert into arauto.device (tenant_id, user_id, device_id, provider, app, token, "
        "registered_at) values "
        "('acme', 'ana', '"
        + id + "', '" + std::string{spelled(via)} + "', '" + app + "', '" + token + "', now())");
  }
  // Ana gets pushes only, so that nothing but them is counted.
  event_id push(const std::string& operation) {
    auto asked = order_shipped(operation);
    asked.channels_given = true;
    asked.channels = {channel::push};
    auto made = staff->submit(asked);
    BOOST_REQUIRE(made);
    return made->id;
  }
  state push_state(const event_id& id) { return state_of(id, channel::push); }
  void wait_for_push(const event_id& id, state wanted) {
    wait_until(id.text + " is " + to_string(wanted), [&] { return push_state(id) == wanted; });
  }
  std::string targets_of(const event_id& id) {
    return value("select string_agg(device_id || ' ' || state, ', ' order by device_id) from "
                 "arauto.target where event_id = '"
                 + id.text + "'");
  }
  std::string delivery(const event_id& id, const std::string& column) {
    return value("select " + column
                 + " from arauto.delivery where channel = 'push' and event_id = '" + id.text + "'");
  }
  int sends_to(const std::string& token) {
    const std::lock_guard lock{provider->mutex};
    return static_cast<int>(std::count_if(provider->seen.begin(), provider->seen.end(),
                                          [&](const auto& one) { return one.to == token; }));
  }
};

answer at_once(outcome said) {
  return {false, std::move(said)};
}

} // namespace

BOOST_AUTO_TEST_SUITE(push)

BOOST_FIXTURE_TEST_CASE(every_device_gets_it_and_one_delivery_says_so, pushing_office) {
  add_device("phone", kind::fcm, "t-phone");
  add_device("tablet", kind::fcm, "t-tablet");
  add_device("watch", kind::apns, "t-watch", "com.acme");
  open();
  const auto id = push("o-1");
  wait_for_push(id, state::provider_accepted);
  BOOST_TEST(targets_of(id)
             == "phone provider_accepted, tablet provider_accepted, watch provider_accepted");
  BOOST_TEST(provider->count() == 3);
}

BOOST_FIXTURE_TEST_CASE(a_retry_addresses_only_who_is_outstanding_P3, pushing_office) {
  add_device("phone", kind::fcm, "t-phone");
  add_device("tablet", kind::fcm, "busy");
  provider->how = [](const auto& sent, int times) {
    return at_once(sent.to == "busy" && times <= 2 ? says(verdict::refused_for_now, 503, "busy")
                                                   : says(verdict::accepted, 200));
  };
  open();
  const auto id = push("o-1");
  wait_for_push(id, state::provider_accepted);
  BOOST_TEST(sends_to("t-phone") == 1);
  BOOST_TEST(sends_to("busy") == 2);
  BOOST_TEST(delivery(id, "attempts") == "2");
}

BOOST_FIXTURE_TEST_CASE(a_dead_token_ends_its_device_and_no_other_S31, pushing_office) {
  add_device("old", kind::fcm, "dead");
  add_device("phone", kind::fcm, "t-phone");
  provider->how = [](const auto& sent, int) {
    return at_once(sent.to == "dead" ? says(verdict::bad_address, 404, "unregistered")
                                     : says(verdict::accepted, 200));
  };
  open();
  const auto id = push("o-1");
  wait_for_push(id, state::provider_accepted);
  BOOST_TEST(targets_of(id) == "old permanent_failure, phone provider_accepted");
  BOOST_TEST(
      value("select string_agg(device_id || ' ' || coalesce(end_reason, 'lives'), ', ' order "
            "by device_id) from arauto.device")
      == "old unregistered, phone lives");
}

BOOST_FIXTURE_TEST_CASE(a_push_whose_devices_went_away_is_no_attempt, pushing_office) {
  add_device("phone", kind::fcm, "t-phone");
  provider->sends_max = 0; // nobody gets a slot yet
  open();
  const auto id = push("o-1");
  sql("update arauto.device set ended_at = now(), end_reason = 'removed', token = ''");
  staff->stop(std::chrono::milliseconds{1'000});
  provider->sends_max = 64;
  open();
  wait_for_push(id, state::permanent_failure);
  BOOST_TEST(delivery(id, "cause") == "no_device");
  BOOST_TEST(delivery(id, "attempts") == "0");
  BOOST_TEST(provider->count() == 0);
}

BOOST_FIXTURE_TEST_CASE(an_account_that_is_paused_holds_up_its_own_devices_only_P7,
                        pushing_office) {
  add_device("phone", kind::fcm, "t-phone");
  add_device("watch", kind::apns, "t-watch");
  std::atomic<bool> fcm_is_well{false};
  provider->how = [&](const auto& sent, int) {
    return at_once(sent.to == "t-phone" && !fcm_is_well
                       ? says(verdict::account_refused, 401, "credential_refused")
                       : says(verdict::accepted, 200));
  };
  open();
  const auto id = push("o-1");
  wait_until("the watch has it",
             [&] { return targets_of(id).find("watch provider_accepted") != std::string::npos; });
  wait_until("the account is paused", [&] { return metric("arauto_account_paused") == 1; });
  BOOST_TEST(to_string(push_state(id)) != "provider_accepted");
  fcm_is_well = true;
  wait_for_push(id, state::provider_accepted);
  BOOST_TEST(sends_to("t-watch") == 1);
  BOOST_TEST(metric("arauto_account_paused") == 0);
}

BOOST_FIXTURE_TEST_CASE(who_answered_is_not_sent_to_again_when_another_ones_answer_is_lost_P6,
                        pushing_office) {
  add_device("phone", kind::fcm, "t-phone");
  add_device("tablet", kind::fcm, "lost");
  provider->how = [](const auto& sent, int times) {
    return at_once(sent.to == "lost" && times <= 2 ? says(verdict::unknown, 0, "lost_answer")
                                                   : says(verdict::accepted, 200));
  };
  open();
  const auto id = push("o-1");
  wait_for_push(id, state::provider_accepted);
  BOOST_TEST(sends_to("t-phone") == 1);
  BOOST_TEST(sends_to("lost") == 2);
  BOOST_TEST(delivery(id, "doubts") == "1");
}

BOOST_FIXTURE_TEST_CASE(without_an_account_a_push_waits_and_says_why, pushing_office) {
  add_device("phone", kind::fcm, "t-phone");
  means.of_house = {house_account(kind::smtp)};
  means.open_port = [this](const auto&) {
    return result<std::shared_ptr<channels::port>>{std::make_shared<scripted_port>(provider)};
  };
  open();
  const auto id = push("o-1");
  wait_until("it waits", [&] { return delivery(id, "deferrals") == "1"; });
  BOOST_TEST(to_string(push_state(id)) == "pending");
  BOOST_TEST(delivery(id, "cause") == "no_account");
  BOOST_TEST(delivery(id, "attempts") == "0");
}

BOOST_FIXTURE_TEST_CASE(a_wave_of_dead_tokens_pauses_the_account_instead_of_wiping_devices_S31,
                        pushing_office) {
  for (int i = 0; i < 60; ++i)
    add_device("d" + std::to_string(i), kind::fcm, "t" + std::to_string(i));
  provider->how = [](const auto&, int) {
    return at_once(says(verdict::bad_address, 404, "unregistered"));
  };
  open();
  push("o-1");
  wait_until("the account is paused", [&] { return metric("arauto_account_paused") == 1; });
  wait_until("the push waits", [&] {
    return value("select count(*) from arauto.target where state = 'pending'") != "0";
  });
  const auto ended =
      std::stoi(value("select count(*) from arauto.device where ended_at is not null"));
  BOOST_TEST(ended >= 1);
  BOOST_TEST(ended <= 12); // nine, and a probe or two since
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
