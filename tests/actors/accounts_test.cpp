// Accounts as they come, change, fail and go, and what becomes of the pushes that wait for them
// (P2, P6, P7; S31, S32 at the actors' floor). Providers are scripted by account version, the
// database is real.
#include <boost/test/unit_test.hpp>

#include <stdexcept>

#include "storage/accounts.hpp"
#include "storage/devices.hpp"
#include "tests/support/running_office.hpp"

namespace arauto::tests {

namespace {

using answer = scripted_port::answer;
using kind = arauto::provider;
using journal_ptr = std::shared_ptr<scripted_port::journal>;
using port_ptr = std::shared_ptr<channels::port>;

answer at_once(outcome said) {
  return {false, std::move(said)};
}

scripted_port::script always(outcome said) {
  return [said = std::move(said)](const auto&, int) { return at_once(said); };
}

const outcome expired_credential = says(verdict::account_refused, 401, "unauthenticated");

struct office_with_accounts : running_office {
  office_with_accounts() {
    storage::template_view words;
    words.type = "order.shipped";
    words.via = channel::push;
    words.parts = {{"title", "Order {{order}}"}};
    words.required = {"order"};
    BOOST_REQUIRE(storage::put_template(db, acme, words));
    means.seals = *storage::seal_ring::read(storage::seal_ring::new_line("first"));
    for (auto via : all_providers)
      means.of_house.push_back(house_account(via));
    means.open_port = [this](const storage::account_contents& whole) {
      return result<port_ptr>{std::make_shared<scripted_port>(journal_of(whole))};
    };
  }
  // A version of its own has a journal of its own, by what `open` says; the house's share one.
  journal_ptr journal_of(const storage::account_contents& whole) {
    const std::lock_guard lock{mutex};
    const auto found = journals.find(whole.open);
    return found == journals.end() ? provider : found->second;
  }
  journal_ptr put_account(const outlet& of, const std::string& open, scripted_port::script how) {
    const auto kept = std::make_shared<scripted_port::journal>();
    kept->how = std::move(how);
    {
      const std::lock_guard lock{mutex};
      journals[open] = kept;
    }
    BOOST_REQUIRE(storage::put_account(db, means.seals, acme, of, open, "{}", a_test));
    return kept;
  }
  void add_device(const std::string& id, const outlet& of) {
    BOOST_REQUIRE(storage::put_device(db, acme, ana, {id, of, "t-" + id, {}, {}}));
  }
  notification a_push(const std::string& operation) {
    auto asked = order_shipped(operation);
    asked.channels_given = true;
    asked.channels = {channel::push};
    return asked;
  }
  event_id push(const std::string& operation) {
    auto made = staff->submit(a_push(operation));
    BOOST_REQUIRE(made);
    return made->id;
  }
  void wait_for_push(const event_id& id, state wanted) {
    wait_until(id.text + " is " + to_string(wanted),
               [&] { return state_of(id, channel::push) == wanted; });
  }
  std::string delivery_losses() { return value("select sum(lost_leases) from arauto.delivery"); }
  int ended_devices() {
    return std::stoi(value("select count(*) from arauto.device where ended_at is not null"));
  }

  std::mutex mutex;
  std::map<std::string, journal_ptr> journals;
};

} // namespace

BOOST_AUTO_TEST_SUITE(accounts)

BOOST_FIXTURE_TEST_CASE(a_new_credential_lets_a_thousand_flow_and_none_has_lost_an_attempt_P7,
                        office_with_accounts) {
  const outlet project{kind::fcm, "shop"};
  add_device("phone", project);
  const auto expired = put_account(project, R"({"v": 1})", always(expired_credential));
  open();
  std::vector<notification> thousand;
  for (int i = 0; i < 1'000; ++i)
    thousand.push_back(a_push("o-" + std::to_string(i)));
  for (const auto& made : staff->submit_all(std::move(thousand)))
    BOOST_REQUIRE(made);
  wait_until("the alarm is seen", [&] { return metric("arauto_account_paused") == 1; });
  wait_until("the account says why", [&] {
    return value("select coalesce(pause_cause, '') from arauto.account") == "unauthenticated";
  });
  BOOST_TEST(value("select sum(attempts) from arauto.delivery") == "0");

  const auto fresh = put_account(project, R"({"v": 2})", always(says(verdict::accepted, 200)));
  wait_until("all have arrived", [&] { return count_of(state::provider_accepted) == 1'000; });
  BOOST_TEST(fresh->count() == 1'000);
  BOOST_TEST(value("select min(attempts) || ' ' || max(attempts) from arauto.delivery") == "1 1");
  BOOST_TEST(metric("arauto_account_paused") == 0);
}

BOOST_FIXTURE_TEST_CASE(what_an_old_version_says_does_not_pause_the_new_one, office_with_accounts) {
  const outlet project{kind::fcm, "shop"};
  add_device("phone", project);
  const auto old = put_account(project, R"({"v": 1})", [](const auto&, int) {
    return answer{true, {}}; // on its way
  });
  open();
  const auto late = push("on-its-way");
  BOOST_REQUIRE(old->wait_seen(1));
  const auto fresh = put_account(project, R"({"v": 2})", always(says(verdict::accepted, 200)));
  wait_until("the new one is in use", [&, n = 0]() mutable {
    push("o-" + std::to_string(++n));
    return fresh->count() > 0;
  });
  old->release(expired_credential);
  wait_for_push(late, state::provider_accepted);
  BOOST_TEST(metric("arauto_account_paused") == 0);
}

BOOST_FIXTURE_TEST_CASE(two_apps_behind_one_account_take_one_slot_of_it, office_with_accounts) {
  rules.lease = std::chrono::milliseconds{60'000}; // so long would a slot be lost that nobody used
  add_device("phone", {kind::fcm, "shop"});
  add_device("tablet", {kind::fcm, "club"});
  provider->sends_max = 1;
  open();
  for (int i = 0; i < 5; ++i)
    wait_for_push(push("o-" + std::to_string(i)), state::provider_accepted);
  BOOST_TEST(provider->count() == 10);
}

BOOST_FIXTURE_TEST_CASE(in_a_wave_of_dead_tokens_a_probe_is_believed_once_S31,
                        office_with_accounts) {
  constexpr int devices = 50;
  for (int i = 0; i < devices; ++i)
    add_device("d" + std::to_string(i), {kind::fcm, ""});
  std::atomic<bool> mended{false};
  provider->how = [&](const auto&, int) {
    return at_once(mended ? says(verdict::accepted, 200)
                          : says(verdict::bad_address, 404, "unregistered"));
  };
  open();
  push("o-1");
  BOOST_REQUIRE(provider->wait_seen(devices + 20)); // a probe of all that are left is on its way
  wait_until("it was answered", [&] {
    return value("select count(*) from arauto.target where state = 'leased'") == "0";
  });
  BOOST_TEST(ended_devices() >= 9);
  BOOST_TEST(ended_devices() <= 12); // nine before the wave was one, then one a probe
  mended = true;
  wait_until("the others have it", [&] { return count_of(state::provider_accepted) == 1; });
  BOOST_TEST(metric("arauto_account_paused") == 0);
}

BOOST_FIXTURE_TEST_CASE(dead_endpoints_that_say_nothing_of_the_account_make_no_wave_S35,
                        office_with_accounts) {
  for (int i = 0; i < 20; ++i)
    add_device("d" + std::to_string(i), {kind::fcm, ""});
  provider->how = [](const auto&, int) {
    auto gone = says(verdict::bad_address, 410, "subscription_gone");
    gone.only_this_target = true;
    return at_once(gone);
  };
  open();
  wait_for_push(push("o-1"), state::permanent_failure);
  BOOST_TEST(ended_devices() == 20);
  BOOST_TEST(metric("arauto_account_paused") == 0);
}

BOOST_FIXTURE_TEST_CASE(a_provider_that_asks_the_account_to_wait_is_given_its_time_S31,
                        office_with_accounts) {
  using steady = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds wish{1'500};
  add_device("phone", {kind::fcm, ""});
  std::atomic<steady::rep> asked{0};
  std::atomic<steady::rep> next{0};
  provider->how = [&](const auto&, int) {
    const auto now = steady::now().time_since_epoch().count();
    if (asked.load() == 0) {
      asked = now;
      auto busy = says(verdict::refused_for_now, 429, "quota_exceeded");
      busy.retry_after = wish;
      busy.slows_account = true;
      return at_once(busy);
    }
    if (next.load() == 0) next = now;
    return at_once(says(verdict::accepted, 200));
  };
  open();
  push("first");
  BOOST_REQUIRE(provider->wait_seen(1));
  wait_for_push(push("second"), state::provider_accepted);
  BOOST_TEST((steady::duration{next.load() - asked.load()} >= wish));
  BOOST_TEST(metric("arauto_account_paused") == 0);
}

BOOST_FIXTURE_TEST_CASE(a_registrar_that_crashes_is_replaced_and_who_waited_for_it_goes_on_S40,
                        office_with_accounts) {
  add_device("phone", {kind::fcm, ""});
  std::atomic<int> opened{0};
  means.open_port = [&, open_one = means.open_port](const auto& whole) {
    if (++opened == 1) throw std::runtime_error{"broken"};
    return open_one(whole);
  };
  open();
  wait_for_push(push("o-1"), state::provider_accepted);
  BOOST_TEST(delivery_losses() == "0");
  BOOST_TEST(!collapsed);
}

BOOST_FIXTURE_TEST_CASE(an_account_that_cannot_be_used_concerns_nobody_else, office_with_accounts) {
  add_device("phone", {kind::fcm, "shop"});
  put_account({kind::fcm, "shop"}, R"({"v": "bad"})", nullptr);
  means.open_port = [open_one = means.open_port](const storage::account_contents& whole) {
    if (whole.open.find("bad") != std::string::npos)
      return result<port_ptr>{failure{errc::bad_input, "no such key"}};
    return open_one(whole);
  };
  open();
  const auto id = push("o-1");
  wait_until("it waits", [&] {
    return value("select coalesce(cause, '') from arauto.delivery") == "account_unusable";
  });
  BOOST_TEST(metric("arauto_account_paused") == 1);
  wait_for_state(submit("mail").id, state::provider_accepted);
  BOOST_TEST(value("select attempts from arauto.delivery where channel = 'push' and event_id = '"
                   + id.text + "'")
             == "0");
}

BOOST_FIXTURE_TEST_CASE(an_orderly_stop_gives_back_what_looks_for_a_courier_S15,
                        office_with_accounts) {
  rules.restarts_max = 1;
  rules.lease = std::chrono::milliseconds{30'000};
  add_device("phone", {kind::fcm, ""});
  provider->broken = true; // its courier crashes until the account is closed
  open();
  for (int i = 0; i < 200; ++i)
    push("o-" + std::to_string(i));
  wait_until("the account is closed", [&] { return metric("arauto_account_paused") == 1; });
  staff->stop(std::chrono::milliseconds{5'000});
  BOOST_TEST(value("select count(*) from arauto.delivery where state = 'leased'") == "0");
  BOOST_TEST(delivery_losses() == "0");
}

BOOST_AUTO_TEST_CASE(closing_one_of_the_accounts_that_share_a_port_leaves_it_open) {
  struct counting_port : scripted_port {
    using scripted_port::scripted_port;
    void stop(steady::time_point) override { ++stops; }
    int stops = 0;
  };
  const auto shared = std::make_shared<counting_port>(std::make_shared<scripted_port::journal>());
  const auto means = all_through(shared);
  (*means.open_port(house_account(kind::fcm)))->stop(std::chrono::steady_clock::now());
  BOOST_TEST(shared->stops == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
