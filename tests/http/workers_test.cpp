// The threads for requests, and the line before them.
#include <boost/test/unit_test.hpp>

#include <future>

#include "http/workers.hpp"

using arauto::http::workers;

namespace {

// A request that is in work until it is let go.
struct guest {
  std::promise<void> arrived, leaves;

  std::function<void()> work() {
    return [this] {
      arrived.set_value();
      leaves.get_future().wait();
    };
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(workers_at_the_door)

BOOST_AUTO_TEST_CASE(the_line_is_bounded_and_a_free_thread_is_no_part_of_it) {
  guest first, second, third, fourth;
  workers hands{2, 1};
  BOOST_TEST(hands.enqueue(first.work())); // a thread is free, whether or not it has woken up
  BOOST_TEST(hands.enqueue(second.work()));
  first.arrived.get_future().wait();
  second.arrived.get_future().wait();
  BOOST_TEST(hands.enqueue(third.work()));
  BOOST_TEST(hands.waiting() == 1u);
  BOOST_TEST(!hands.enqueue(fourth.work()));
  first.leaves.set_value();
  third.arrived.get_future().wait();
  BOOST_TEST(hands.waiting() == 0u);
  BOOST_TEST(hands.enqueue(fourth.work()));
  for (auto* one : {&second, &third, &fourth})
    one->leaves.set_value();
}

BOOST_AUTO_TEST_CASE(what_was_taken_in_is_done_before_the_end) {
  int done = 0; // one thread: no lock
  {
    workers hands{1, 100};
    for (int i = 0; i < 100; ++i)
      BOOST_TEST(hands.enqueue([&done] { ++done; }));
  }
  BOOST_TEST(done == 100);
}

BOOST_AUTO_TEST_SUITE_END()
