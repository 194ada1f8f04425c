// The threads for connections, and the line before them.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <functional>
#include <future>

#include "http/workers.hpp"

using arauto::http::bounded_workers;

namespace {

// A connection that is served until it is let go.
struct guest {
  std::promise<void> arrived, leaves;

  std::function<void()> serve() {
    return [this] {
      arrived.set_value();
      leaves.get_future().wait();
    };
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(workers_at_the_door)

BOOST_AUTO_TEST_CASE(only_who_finds_no_free_thread_is_said_to_wait) {
  std::atomic<std::size_t> waiting{0};
  guest first, second, third;
  bounded_workers workers{2, 8, waiting};
  for (auto* one : {&first, &second}) {
    workers.enqueue(one->serve());
    BOOST_TEST(waiting == 0); // a thread is free, whether or not it has woken up
    one->arrived.get_future().wait();
  }
  workers.enqueue(third.serve());
  BOOST_TEST(waiting == 1);
  first.leaves.set_value();
  third.arrived.get_future().wait();
  BOOST_TEST(waiting == 0);
  second.leaves.set_value();
  third.leaves.set_value();
  workers.shutdown();
}

BOOST_AUTO_TEST_SUITE_END()
