// The small parts the actors are made of: windows, fair turns, batches that meet trouble, messages
// on the wire.
#include <boost/test/unit_test.hpp>

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

#include "actors/fair_queue.hpp"
#include "actors/in_parts.hpp"
#include "actors/protocol.hpp"
#include "actors/window.hpp"
#include "storage/model/slot_pace.hpp"

namespace arauto::tests {

namespace {

using caf::deep_to_string;

template <class T>
void survives_the_wire(T sent) {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::binary_serializer::container_type bytes;
  caf::binary_serializer sink{system, bytes};
  BOOST_REQUIRE(!sink(sent));
  T received;
  caf::binary_deserializer source{system, bytes};
  BOOST_REQUIRE(!source(received));
  BOOST_TEST(deep_to_string(received) == deep_to_string(sent));
  BOOST_TEST(deep_to_string(received) != deep_to_string(T{}));
}

notification some_notification() {
  return {{"id"}, {"acme"},        {"ana"},          "type", "{}", {"op"},
          true,   {channel::push}, priority::urgent, "a",    "b",  {channel::email}};
}

const storage::held_delivery some_held{{{"e"}, channel::push}, {7}, {"acme"}};
const storage::lease some_lease{{{"e"}, channel::push}, {7}, {"acme"}, priority::urgent, 2};
const outcome some_outcome{verdict::refused, 550,   "cause",
                           "detail",         "ref", std::chrono::milliseconds{5}};

} // namespace

BOOST_AUTO_TEST_SUITE(parts)

BOOST_AUTO_TEST_CASE(every_message_with_fields_survives_the_wire) {
  survives_the_wire(submit_notification{some_notification()});
  survives_the_wire(commit_accepted{{some_notification()}});
  survives_the_wire(accepted_group{
      {{errc::busy, {acceptance::conflict, {"id"}, "t", {{channel::push, state::expired}}, "s"}}}});
  survives_the_wire(room_offered{{"acme"}, channel::push, 3});
  survives_the_wire(withdraw_room{{"acme"}, channel::push});
  survives_the_wire(room_returned{4});
  survives_the_wire(work_ready{{"acme"}, channel::push});
  survives_the_wire(leases_granted{{some_lease}});
  survives_the_wire(claim_due{{{"acme"}, channel::push, 5, 4}});
  survives_the_wire(claimed{{some_lease}});
  survives_the_wire(ask_permit{storage::may_begin(some_held, {provider::apns, "app"})});
  survives_the_wire(storage::permit{true,
                                    state::expired,
                                    {{{"e"}, channel::push},
                                     {7},
                                     {"acme"},
                                     "a",
                                     "n",
                                     "d",
                                     "sa",
                                     "sn",
                                     {{"subject", "x"}},
                                     "{}",
                                     1,
                                     2,
                                     true,
                                     {true, {doubt_rule::wait, std::chrono::milliseconds{7}, 3}},
                                     priority::urgent,
                                     60'000,
                                     {provider::apns, "app"},
                                     {{"phone", "token", "key", "auth", "then", 5}},
                                     {1, 2, 3, 4}}});
  survives_the_wire(settle_attempt{{{{"e"}, channel::push},
                                    {7},
                                    {"acme"},
                                    {state::expired, std::chrono::milliseconds{9}, true, "c"},
                                    false,
                                    some_outcome,
                                    true,
                                    true,
                                    true,
                                    "digest"}});
  survives_the_wire(storage::settled{true, state::expired});
  survives_the_wire(renew_leases{{some_held}});
  survives_the_wire(leases_lost{{some_held}});
  survives_the_wire(run_suspect{some_lease});
  survives_the_wire(attempt_begun{some_held});
  survives_the_wire(want_slot{{"acme"}, some_held, priority::urgent});
  survives_the_wire(return_slot{{"acme"}, some_held});
  survives_the_wire(send_message{
      some_held, {{{"e"}, channel::push}, "f", "t", true, "bytes"}, caf::timespan{11}});
  survives_the_wire(attempt_answered{some_held, "phone", some_outcome});
  const storage::account_place some_place{"id", {"acme"}, {provider::fcm, "app"}, 3, true};
  survives_the_wire(note_targets{
      {some_held,
       {{"phone", "then", some_outcome, {state::in_doubt, {}, true, "why", {}}, "gone"}}}});
  survives_the_wire(want_courier{{"acme"}, {provider::apns, "app"}});
  survives_the_wire(account_fares{some_place, "why", 401});
  survives_the_wire(courier_lost{"id"});
  survives_the_wire(find_accounts{7});
  survives_the_wire(accounts_found{{some_place}});
  survives_the_wire(find_account{"id"});
  survives_the_wire(account_found{{some_place, "{}", "{}"}});
  survives_the_wire(leases_reaped{{{{"acme"}, {{"e"}, channel::push}, {7}, state::expired}},
                                  {{{"b"}, {{"f"}, channel::email}, {8}, state::leased}}});
  survives_the_wire(due_work{{{{"acme"}, channel::push}}});
  survives_the_wire(events_forgotten{true});
  survives_the_wire(may_retire{{"acme"}});
  survives_the_wire(orderly_stop{caf::timespan{12}});
}

BOOST_AUTO_TEST_CASE(a_window_cannot_be_overrun_or_underrun) {
  window places{3};
  places.take(2);
  BOOST_TEST(places.room() == 1u);
  BOOST_CHECK_THROW(places.take(2), std::logic_error);
  places.give_back(2);
  BOOST_CHECK_THROW(places.give_back(), std::logic_error);
}

BOOST_AUTO_TEST_CASE(tenants_take_turns_whatever_one_of_them_has_waiting_S38) {
  fair_queue<std::string> queue;
  for (int i = 0; i < 1'000; ++i)
    queue.push({"a"}, priority::normal, "a");
  queue.push({"b"}, priority::normal, "b");
  queue.push({"c"}, priority::urgent, "c");
  std::string order;
  for (int i = 0; i < 4; ++i)
    order += *queue.pop();
  BOOST_TEST(order == "caba");
}

BOOST_AUTO_TEST_CASE(what_is_taken_out_of_the_queue_is_not_served) {
  fair_queue<int> queue;
  queue.push({"a"}, priority::normal, 1);
  queue.push({"a"}, priority::normal, 2);
  queue.push({"b"}, priority::normal, 3);
  BOOST_TEST(queue.remove({"a"}, [](int item) { return item == 1; }));
  BOOST_TEST(!queue.remove({"a"}, [](int item) { return item == 1; }));
  BOOST_TEST(queue.remove({"b"}, [](int item) { return item == 3; }));
  BOOST_TEST(*queue.pop() == 2);
  BOOST_TEST(!queue.pop());
  BOOST_TEST(queue.size() == 0u);
}

BOOST_AUTO_TEST_CASE(one_bad_item_fails_alone_and_the_rest_is_tried_in_parts) {
  std::vector<int> calls;
  const auto answers =
      in_parts<int>(std::vector<int>{1, 2, 3, 4, 5}, [&](const std::vector<int>& part) {
        calls.push_back(static_cast<int>(part.size()));
        for (const int one : part)
          if (one == 4) return result<std::vector<int>>{errc::busy};
        return result<std::vector<int>>{part};
      });
  BOOST_REQUIRE_EQUAL(answers.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    if (i == 3)
      BOOST_TEST((answers[3].error() == errc::busy));
    else
      BOOST_TEST(*answers[static_cast<std::size_t>(i)] == i + 1);
  }
}

BOOST_AUTO_TEST_CASE(doubt_is_run_again_with_the_same_items_and_a_dead_database_is_said_at_once) {
  int calls = 0;
  const auto settled = in_parts<int>(std::vector<int>{1, 2}, [&](const std::vector<int>& part) {
    return ++calls == 1 ? result<std::vector<int>>{errc::commit_in_doubt}
                        : result<std::vector<int>>{part};
  });
  BOOST_TEST(calls == 2);
  BOOST_TEST(*settled.at(1) == 2);
  calls = 0;
  const auto away = in_parts<int>(std::vector<int>{1, 2}, [&](const std::vector<int>&) {
    ++calls;
    return result<std::vector<int>>{errc::unavailable};
  });
  BOOST_TEST(calls == 1);
  BOOST_TEST((away.at(1).error() == errc::unavailable));
}

BOOST_AUTO_TEST_CASE(a_slow_provider_gets_as_many_slots_as_connections_a_quick_one_more) {
  slot_pace pace;
  BOOST_TEST(pace.slots(32) == 32u);
  for (int i = 0; i < 1'000; ++i) {
    pace.permit_took(std::chrono::milliseconds{2});
    pace.send_took(std::chrono::milliseconds{2});
  }
  BOOST_TEST(pace.slots(32) >= 60u);
  BOOST_TEST(pace.slots(32) <= 64u);
  for (int i = 0; i < 1'000; ++i)
    pace.send_took(std::chrono::microseconds{1});
  BOOST_TEST(pace.slots(32) == 128u); // bounded
  for (int i = 0; i < 1'000; ++i)
    pace.send_took(std::chrono::seconds{1});
  BOOST_TEST(pace.slots(32) == 32u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
