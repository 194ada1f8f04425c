// Private templates (design 5): variables are never shown and are gone when the last delivery is
// final, whatever ended it; a replay afterwards is refused with that reason.
#include <thread>

#include <boost/test/unit_test.hpp>

#include "storage/dead_letters.hpp"
#include "tests/support/ledger.hpp"

using namespace arauto;
using namespace arauto::tests;
using namespace std::chrono_literals;

namespace {

struct discreet : ledger {
  discreet() { make_private(channel::email); }

  void make_private(channel via, bool is_private = true) {
    storage::template_view words;
    words.type = "order.shipped";
    words.via = via;
    words.is_private = is_private;
    if (via == channel::email)
      words.parts = {{"subject", "Code {{order}}"}, {"text", "{{order}}"}};
    else
      words.parts = {{"title", "Code"}, {"body", "{{order}}"}};
    words.required = {"order"};
    BOOST_REQUIRE(storage::put_template(db, acme, words));
  }
  // With a device, so that both channels are asked.
  void add_device() {
    sql("insert into arauto.device (device_id, tenant_id, user_id, provider, app, token, "
        "registered_at) values "
        "('phone', 'acme', 'ana', 'fcm', 'app', 'token', now())");
  }
  storage::lease claim_on(channel via) {
    const auto leases = storage::claim(db, {{acme, via, 1, 1}}, node, lease_length);
    BOOST_REQUIRE(leases);
    BOOST_REQUIRE(leases->size() == 1u);
    return leases->front();
  }
  bool remembers(const event_id& id) {
    const auto kept =
        value("select variables is not null from arauto.event where id = '" + id.text + "'");
    const auto erased =
        value("select erased_at is not null from arauto.event where id = '" + id.text + "'");
    BOOST_TEST(kept != erased);
    return kept == "t";
  }
  storage::replay_verdict replayed(const event_id& id) {
    const auto came_to = storage::replay(db, acme, {id, channel::email}, true);
    BOOST_REQUIRE(came_to);
    return came_to->verdict;
  }
};

const plan refused_for_good{state::permanent_failure, {}, false, "refused"};

} // namespace

BOOST_FIXTURE_TEST_SUITE(private_templates, discreet)

BOOST_AUTO_TEST_CASE(the_words_are_gone_when_the_delivery_was_accepted) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  BOOST_TEST((permit_one(held).now == state::leased));
  BOOST_TEST(remembers(id)); // while it is under way there is something to send
  settle_accepted(held);
  BOOST_TEST(!remembers(id));
  BOOST_TEST((accept_one(order_shipped("o-1")).verdict == acceptance::replayed)); // dedupe goes on
}

BOOST_AUTO_TEST_CASE(a_dead_letter_is_not_tried_again_without_its_words) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  settle_one(held, verdict::refused, refused_for_good);
  BOOST_TEST((state_of(id) == state::permanent_failure));
  BOOST_TEST(!remembers(id));
  BOOST_TEST((replayed(id) == storage::replay_verdict::erased));
}

BOOST_AUTO_TEST_CASE(every_way_to_end_takes_the_words) {
  const auto cancelled = accepted_event("cancelled");
  BOOST_REQUIRE(storage::cancel_event(db, acme, cancelled));
  BOOST_TEST(!remembers(cancelled));

  const auto opted_out = accepted_event("opted-out");
  BOOST_REQUIRE(storage::put_preferences(db, acme, ana, {{"", {{channel::email, false}}}}));
  BOOST_TEST(!remembers(opted_out));
  const auto born_suppressed = accepted_event("born-suppressed"); // by the accept itself
  BOOST_TEST(!remembers(born_suppressed));
  BOOST_REQUIRE(storage::put_preferences(db, acme, ana, {}));

  const auto expired = accepted_event("expired"); // by the permit
  const auto late = claim_one();
  sql("update arauto.event set expires_at = now() - interval '1 second' where id = '" + expired.text
      + "'");
  permit_one(late);
  BOOST_TEST((state_of(expired) == state::expired));
  BOOST_TEST(!remembers(expired));

  const auto lost = accepted_event("lost"); // by the reaper: poison
  for (int i = 0; i < 5; ++i) {
    if (i < 2) {
      let_expire(claim_one());
    } else {
      const auto leases = storage::claim_suspect(db, {channel::email}, node, lease_length);
      BOOST_REQUIRE(leases);
      BOOST_REQUIRE(leases->has_value());
      let_expire(**leases);
    }
    reap_all();
  }
  BOOST_TEST((state_of(lost) == state::permanent_failure));
  BOOST_TEST(!remembers(lost));
}

BOOST_AUTO_TEST_CASE(a_doubt_is_not_the_end) {
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  let_expire(held);
  reap_all({doubt_rule::hold, 0ms, 1});
  BOOST_TEST((state_of(id) == state::in_doubt));
  BOOST_TEST(remembers(id)); // it may have to be sent again
  BOOST_REQUIRE(
      storage::resolve(db, acme, {id, channel::email}, storage::resolution::accepted, 25));
  BOOST_TEST(!remembers(id));
}

BOOST_AUTO_TEST_CASE(the_last_of_two_deliveries_takes_them_in_either_order_and_at_once) {
  make_private(channel::push, false); // one private template makes the event private
  add_device();
  for (const auto first : {channel::email, channel::push}) {
    const auto second = first == channel::email ? channel::push : channel::email;
    const auto id = accepted_event("after-" + to_string(first));
    const auto one = claim_on(first), other = claim_on(second);
    permit_one(one);
    permit_one(other);
    settle_accepted(one);
    BOOST_TEST(remembers(id));
    settle_accepted(other);
    BOOST_TEST(!remembers(id));
  }
  // Two transactions end both at once: the later waits for the earlier, then sees it.
  const auto id = accepted_event("at-once");
  const auto of = " where event_id = '" + id.text + "' and channel = ";
  pqxx::connection a{url}, b{url};
  pqxx::work first{a}, second{b};
  const std::string end = "update arauto.delivery set state = 'cancelled', settled_at = now()";
  first.exec(end + of + "'email'");
  second.exec("set local lock_timeout = '5s'");
  std::thread waits{[&] {
    second.exec(end + of + "'push'");
    second.commit();
  }};
  first.commit();
  waits.join();
  BOOST_TEST(!remembers(id));
}

BOOST_AUTO_TEST_CASE(other_events_keep_theirs_and_no_view_shows_any) {
  make_private(channel::email, false);
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  settle_accepted(held);
  BOOST_TEST(remembers(id));
  BOOST_TEST(
      value("select count(*) from information_schema.columns where table_schema = 'arauto' and "
            "column_name like '%variables%' and table_name in (select table_name from "
            "information_schema.views where table_schema = 'arauto')")
      == "0");
}

// The twin: without the trigger the words stay.
BOOST_AUTO_TEST_CASE(without_its_trigger_the_words_stay) {
  sql("alter table arauto.delivery disable trigger delivery_ends_private");
  const auto id = accepted_event("o-1");
  const auto held = claim_one();
  permit_one(held);
  settle_accepted(held);
  BOOST_TEST(remembers(id));
}

BOOST_AUTO_TEST_SUITE_END()
