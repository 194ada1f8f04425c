// What happens to work around claims and accepts when others are in the way (P2, P3): answers that
// were lost, poison, an application's open transaction. Twins as in interleaving_test.cpp.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "actors/in_parts.hpp"
#include "storage/sql/statements.hpp"
#include "tests/support/crossing.hpp"

namespace arauto::tests {

namespace {

namespace sql = storage::sql;
using storage::session;

// -- a claim whose answer was lost ----------------------------------------------------------------

struct lost_claim : crossing {
  // Two rows are leased to this node and nobody knows; a third is known and being worked on.
  storage::lease known;
  lost_claim() {
    accepted_event("o-1");
    accepted_event("o-2");
    claim(2); // the answer goes nowhere
    accepted_event("o-3");
    known = claim_one();
  }

  // What the node does in the time of a lease: renews what it knows of, then the reaper comes.
  std::size_t a_lease_later(const storage::statement& renew) {
    BOOST_REQUIRE(db.in_transaction(storage::reach::owner(), [&](session::transaction& t) {
      return !t.run(renew, keys_of({known}), 3 * lease_length.count()).empty();
    }));
    crossing::sql("update arauto.delivery set lease_until = lease_until - interval '45 s'");
    return reap_all().size();
  }
};

// -- poison ---------------------------------------------------------------------------------------

struct poisoned : crossing {
  const event_id good_before = accepted_event("good-1");
  const event_id poison = accepted_event("poison");
  const event_id good_after = accepted_event("good-2");

  std::vector<storage::lease> claim_suspects(const storage::statement& how) {
    auto claimed = db.in_transaction(storage::reach::owner(), [&](session::transaction& t) {
      std::vector<storage::lease> leases;
      for (const auto& row : t.run(how, node.text, lease_length.count(), "{email}")) {
        leases.emplace_back();
        leases.back().key = {{row["event_id"].c_str()}, channel::email};
        leases.back().held = {row["lease_token"].as<std::int64_t>()};
        leases.back().tenant = {row["tenant_id"].c_str()};
      }
      return leases;
    });
    BOOST_REQUIRE_MESSAGE(claimed, claimed.why().text);
    return *claimed;
  }

  // A node that dies, before any permit, with all it holds whenever the poison is among it; until
  // nothing is due. Gives how often it died.
  int deaths_until_all_is_done(const storage::statement& suspects) {
    int deaths = 0;
    for (int round = 0; round < 40; ++round) {
      auto leases = claim();
      if (leases.empty()) leases = claim_suspects(suspects);
      if (leases.empty()) return deaths;
      const bool dies = std::any_of(leases.begin(), leases.end(), [&](const auto& one) {
        return one.key.event.text == poison.text;
      });
      deaths += dies ? 1 : 0;
      for (const auto& one : leases)
        if (dies) {
          let_expire(one);
        } else {
          permit_one(one);
          settle_accepted(one);
        }
      reap_all();
    }
    BOOST_FAIL("it never ends");
    return deaths;
  }
};

// -- an application's open transaction on the same operation --------------------------------------

struct application : crossing {
  opened app{*this};
  const std::vector<notification> group{order_shipped("mine"), order_shipped("theirs"),
                                        order_shipped("also-mine")};
  application() {
    app.work.exec("insert into arauto.event (id, tenant_id, user_id, type, variables, priority,"
                  " client_key, fingerprint, created_at) values (gen_random_uuid(), 'acme', 'ana',"
                  " 'order.shipped', '{}', 1, 'theirs', '', now())");
  }

  result<std::vector<accept_answer>> accept(const std::vector<notification>& asked) {
    return storage::accept(db, asked, node, lease_length);
  }

  std::string events() {
    return value("select coalesce(string_agg(client_key, ' ' order by client_key), '')"
                 " from arauto.event");
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(interleavings_of_work)

BOOST_FIXTURE_TEST_CASE(rows_leased_by_a_claim_whose_answer_was_lost_come_back_P3, lost_claim) {
  BOOST_TEST(a_lease_later(sql::renew) == 2);
  BOOST_TEST(claim().size() == 2);
  BOOST_TEST(permit_one(known).still_ours);
}

BOOST_FIXTURE_TEST_CASE(twin_renewals_by_owner_keep_them_from_coming_back, lost_claim) {
  altered by_owner{
      sql::renew,
      "d.event_id = a.event_id and d.channel = a.channel and d.tenant_id = a.tenant_id\n"
      "         and d.lease_token = a.lease_token",
      "d.lease_owner = (select o.lease_owner from arauto.delivery o"
      " where o.event_id = a.event_id and o.channel = a.channel)"};
  by_owner.and_also("limit 1 for update", "limit 100 for update");
  for (int leases = 0; leases < 3; ++leases)
    BOOST_TEST(a_lease_later(by_owner.made()) == 0);
  BOOST_TEST(claim().empty());
}

BOOST_FIXTURE_TEST_CASE(poison_before_the_permit_is_found_and_its_neighbours_are_innocent_P3_S12,
                        poisoned) {
  BOOST_TEST(deaths_until_all_is_done(sql::claim_suspect) == 5);
  BOOST_TEST(to_string(state_of(poison)) == "permanent_failure");
  BOOST_TEST(value("select cause || ' ' || lost_leases || ' ' || attempts from arauto.delivery"
                   " where state = 'permanent_failure'")
             == "worker_lost 5 0");
  BOOST_TEST(to_string(state_of(good_before)) == "provider_accepted");
  BOOST_TEST(to_string(state_of(good_after)) == "provider_accepted");
}

BOOST_FIXTURE_TEST_CASE(twin_suspects_that_are_claimed_together_are_convicted_together, poisoned) {
  const altered together{sql::claim_suspect, "limit 1 for update", "limit 100 for update"};
  BOOST_TEST(deaths_until_all_is_done(together.made()) == 5);
  BOOST_TEST(to_string(state_of(good_before)) == "permanent_failure");
  BOOST_TEST(to_string(state_of(good_after)) == "permanent_failure");
}

BOOST_FIXTURE_TEST_CASE(an_open_transaction_on_the_same_operation_holds_up_that_item_alone_P2,
                        application) {
  const auto answers = in_parts<accept_answer>(
      group, [&](const std::vector<notification>& part) { return accept(part); });
  BOOST_REQUIRE_EQUAL(answers.size(), 3);
  BOOST_REQUIRE(answers[0] && answers[2]);
  BOOST_TEST((answers[0]->verdict == acceptance::created));
  BOOST_TEST((answers[1].error() == errc::busy)); // told as operation-in-progress, 503
  BOOST_TEST((answers[2]->verdict == acceptance::created));
  BOOST_TEST(events() == "also-mine mine");
}

BOOST_FIXTURE_TEST_CASE(twin_a_group_that_is_not_tried_in_parts_fails_whole, application) {
  BOOST_TEST((accept(group).error() == errc::busy));
  BOOST_TEST(events() == "");
}

BOOST_FIXTURE_TEST_CASE(what_the_application_does_in_the_end_decides_P2, application) {
  auto asking = meanwhile([&](session& s) { // waits in the insert, a little
    return storage::accept(s, {order_shipped("theirs")}, node, lease_length);
  });
  BOOST_TEST((asking.get().error() == errc::busy));
  app.work.commit();
  const auto after = accept({order_shipped("theirs")});
  BOOST_REQUIRE(after);
  BOOST_TEST((after->at(0).verdict == acceptance::conflict)); // another meaning, one event
  BOOST_TEST(events() == "theirs");
}

BOOST_FIXTURE_TEST_CASE(an_accept_that_waited_meets_a_rollback_and_stands_P1_P2, application) {
  app.work.abort();
  const auto after = accept(group);
  BOOST_REQUIRE(after);
  for (const auto& one : *after)
    BOOST_TEST((one.verdict == acceptance::created));
  BOOST_TEST(events() == "also-mine mine theirs");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
