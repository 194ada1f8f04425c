// A ledger in which deliveries die, or are doubted, and are tried again because a person asks.
#pragma once

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "storage/dead_letters.hpp"
#include "tests/support/crossing.hpp"

namespace arauto::tests {

struct dead_office : crossing {
  event_id died(const std::string& operation, const std::string& cause = "refused") {
    const auto id = accepted_event(operation);
    die(cause);
    return id;
  }
  void die(const std::string& cause = "refused") {
    const auto held = claim_one();
    permit_one(held);
    settle_one(held, verdict::refused, {state::permanent_failure, {}, false, cause});
  }
  event_id doubted(const std::string& operation) {
    const auto id = accepted_event(operation);
    const auto held = claim_one();
    permit_one(held);
    settle_one(held, verdict::unknown, {state::in_doubt, {}, true, "lost_answer"});
    return id;
  }
  // Sent again after a doubt, and refused for good: the first attempt may still have arrived.
  event_id died_in_doubt(const std::string& operation) {
    const auto id = doubted(operation);
    sql("update arauto.delivery set next_attempt_at = now() where event_id = '" + id.text + "'");
    die();
    return id;
  }
  storage::replay_answer replay(const event_id& id, bool even_if_doubtful = false) {
    auto made = storage::replay(db, acme, {id, channel::email}, even_if_doubtful);
    BOOST_REQUIRE_MESSAGE(made, to_string(made.error()) + " " + made.why().text);
    return *made;
  }
  storage::replay_count replay_all(storage::paced_replay wanted = {}) {
    auto made = storage::replay_dead_letters(db, acme, wanted);
    BOOST_REQUIRE_MESSAGE(made, to_string(made.error()) + " " + made.why().text);
    return *made;
  }
  std::vector<std::string> listed(const storage::dead_letter_filter& which = {}) {
    const auto page = storage::dead_letters(db, acme, which, {}, 100);
    BOOST_REQUIRE_MESSAGE(page, to_string(page.error()) + " " + page.why().text);
    std::vector<std::string> operations;
    for (const auto& one : page->letters)
      operations.push_back(one.operation.text);
    return operations;
  }
};

using operations = std::vector<std::string>;

} // namespace arauto::tests
