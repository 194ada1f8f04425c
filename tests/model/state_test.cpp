#include "storage/model/state.hpp"

#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

using arauto::aggregate_status;
using arauto::all_states;
using arauto::is_final;
using arauto::may_move;
using arauto::state;
using arauto::state_spelled;

namespace {

// The table of design 5, written a second time so that a slip in either is seen.
std::set<state> reachable_from(state from) {
  using s = state;
  switch (from) {
  case s::pending:
    return {s::leased, s::suppressed, s::cancelled, s::expired, s::provider_accepted, s::in_doubt};
  case s::leased:
    return {s::provider_accepted, s::retry_wait, s::permanent_failure, s::in_doubt,
            s::suppressed,        s::cancelled,  s::expired,           s::pending};
  case s::retry_wait:
    return {s::leased,  s::suppressed,        s::cancelled,
            s::expired, s::permanent_failure, s::provider_accepted,
            s::in_doubt};
  case s::in_doubt: return {s::leased, s::provider_accepted, s::retry_wait, s::permanent_failure};
  case s::permanent_failure: return {s::pending};
  default: return {};
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(delivery_state)

BOOST_AUTO_TEST_CASE(a_delivery_moves_as_the_design_says_and_in_no_other_way) {
  for (const auto from : all_states)
    for (const auto to : all_states)
      BOOST_TEST(may_move(from, to) == (reachable_from(from).count(to) == 1),
                 to_string(from) << " -> " << to_string(to));
}

BOOST_AUTO_TEST_CASE(a_final_state_is_left_only_by_a_persons_replay) {
  for (const auto from : all_states)
    for (const auto to : all_states)
      if (is_final(from) && may_move(from, to))
        BOOST_TEST((from == state::permanent_failure && to == state::pending));
}

// A stop, an expiry or an erasure cannot make a doubt into a certainty.
BOOST_AUTO_TEST_CASE(a_doubt_is_never_swept_away_by_a_stop) {
  for (const auto to : {state::suppressed, state::cancelled, state::expired, state::pending})
    BOOST_TEST(!may_move(state::in_doubt, to));
}

BOOST_AUTO_TEST_CASE(each_state_has_one_spelling_and_no_word_means_more_than_is_known) {
  std::set<std::string> words;
  for (const auto s : all_states) {
    words.insert(to_string(s));
    BOOST_TEST((state_spelled(to_string(s)) == s));
  }
  BOOST_TEST(words.size() == std::size(all_states));
  BOOST_TEST(words.count("") == 0u);
  for (const auto* word : {"", "sent", "delivered", "read", "Pending", "pending "})
    BOOST_TEST(!state_spelled(word), word);
}

BOOST_AUTO_TEST_CASE(the_status_of_a_notification_follows_from_its_deliveries) {
  using s = state;
  struct row {
    std::vector<state> deliveries;
    bool any_begun;
    std::string status;
  };
  const row table[] = {
      {{}, false, "suppressed"},
      {{s::pending}, false, "accepted"},
      {{s::leased, s::pending}, false, "accepted"},
      {{s::pending}, true, "in_progress"},
      {{s::retry_wait}, true, "in_progress"},
      {{s::pending, s::suppressed}, false, "in_progress"},
      {{s::pending, s::in_doubt}, false, "in_progress"},
      {{s::in_doubt}, true, "in_doubt"},
      {{s::in_doubt, s::provider_accepted}, true, "in_doubt"},
      {{s::in_doubt, s::permanent_failure}, true, "in_doubt"},
      {{s::provider_accepted, s::provider_accepted}, true, "completed"},
      {{s::provider_accepted, s::suppressed}, true, "partial"},
      {{s::provider_accepted, s::permanent_failure}, true, "partial"},
      {{s::suppressed, s::permanent_failure, s::cancelled}, true, "failed"},
      {{s::suppressed, s::expired, s::cancelled}, false, "cancelled"},
      {{s::suppressed, s::expired}, false, "expired"},
      {{s::suppressed, s::suppressed}, false, "suppressed"},
  };
  for (const auto& r : table)
    BOOST_TEST(aggregate_status(r.deliveries, r.any_begun) == r.status);
}

BOOST_AUTO_TEST_SUITE_END()
