// Conversations that end badly: lost connections, silence, the end of trust, and our own orderly
// end (S27 and the rows of doubt).
#include <chrono>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "tests/channels/smtp_fixture.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;

namespace {

const std::string large_body(8'000'000, 'x');

std::string outcome_after(const std::string& verb, const std::string& words) {
  smtp_peer peer{script_answering(verb, words)};
  auto settings = settings_for(peer.port());
  settings.command_timeout = milliseconds{150};
  settings.answer_timeout = milliseconds{150};
  return in_short(send_one(*port_with(settings)));
}

// Says the words instead of the usual reply to the second message's command.
peer_script failing_second(const std::string& verb, const std::string& words) {
  peer_script made;
  made.reply = [=](const heard& what) {
    return what.verb == verb && what.message == 2 ? words : usual_reply(what);
  };
  return made;
}

} // namespace

BOOST_AUTO_TEST_SUITE(smtp_losses)

BOOST_AUTO_TEST_CASE(a_lost_connection_means_what_had_been_said_so_far) {
  for (const auto& end : {hang_up, reset, silence}) {
    const auto before = end == silence ? "not_begun timed_out" : "not_begun connection_lost";
    // A reset may come before the connection is known to be up.
    const auto at_once = outcome_after("", end);
    BOOST_TEST((at_once == before || (end == reset && at_once == "not_begun connect_failed")));
    BOOST_TEST(outcome_after("EHLO", end) == before);
    BOOST_TEST(outcome_after("MAIL", end) == before);
    BOOST_TEST(outcome_after("RCPT", end) == "refused_for_now lost_before_content_end");
    BOOST_TEST(outcome_after("DATA", end) == "refused_for_now lost_before_content_end");
    BOOST_TEST(outcome_after(".", end) == "unknown lost_answer");
  }
}

BOOST_AUTO_TEST_CASE(a_refusal_that_was_read_counts_more_than_the_loss_after_it) {
  BOOST_TEST(outcome_after("RCPT", "550 5.1.1 gone\r\n" + hang_up)
             == "bad_address recipient_unknown 550");
  BOOST_TEST(outcome_after("MAIL", "451 4.3.0 later\r\n" + hang_up)
             == "refused_for_now provider_busy 451");
  BOOST_TEST(outcome_after(".", "250 2.0.0 Ok\r\n" + hang_up) == "accepted 250");
  BOOST_TEST(outcome_after(".", "421 4.3.2 closing\r\n" + hang_up)
             == "refused_for_now provider_closing 421");
}

BOOST_AUTO_TEST_CASE(a_refusal_in_the_middle_of_the_content_is_heard) {
  for (const auto& [words, expected] :
       {std::pair{"552 5.3.4 too much\r\n", "refused too_large 552"},
        {"421 4.3.2 closing\r\n", "refused_for_now provider_closing 421"},
        {"250 2.0.0 Ok already\r\n", "refused_for_now odd_reply 250"},
        {"", "refused_for_now lost_before_content_end"},
        {reset.c_str(), "refused_for_now lost_before_content_end"}}) {
    peer_script script;
    script.interruption = words == reset ? reset : words + hang_up;
    smtp_peer peer{script};
    const auto out = port_with(settings_for(peer.port()));
    auto future = begin_send(*out, *out->compose(mail_to("ana@example.com", large_body)));
    BOOST_TEST(in_short(result_of(future)) == expected);
  }
}

// S27
BOOST_AUTO_TEST_CASE(an_aged_connection_that_fails_costs_the_message_nothing) {
  for (const auto& [verb, words] : {std::pair{"MAIL", "421 4.4.2 timeout\r\n" + hang_up},
                                    {"MAIL", hang_up},
                                    {"MAIL", reset},
                                    {"RCPT", hang_up},
                                    {"RCPT", "421 4.4.2 timeout\r\n" + hang_up},
                                    {"DATA", hang_up}}) {
    smtp_peer peer{failing_second(verb, words)};
    const auto out = port_with(settings_for(peer.port()));
    BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
    BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
    BOOST_TEST(peer.connections() == 2);
    BOOST_TEST(peer.contents().size() == 2u);
  }
}

// S27
BOOST_AUTO_TEST_CASE(after_the_content_an_aged_connection_is_doubt_like_any_other) {
  smtp_peer peer{failing_second(".", hang_up)};
  const auto out = port_with(settings_for(peer.port()));
  BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
  BOOST_TEST(in_short(send_one(*out)) == "unknown lost_answer");
  BOOST_TEST(peer.connections() == 1);
}

// S27
BOOST_AUTO_TEST_CASE(a_second_try_is_the_last_one) {
  peer_script script;
  script.reply = [](const heard& what) {
    const auto good = what.connection == 1 && what.message < 2;
    return what.verb == "MAIL" && !good ? hang_up : usual_reply(what);
  };
  smtp_peer peer{script};
  const auto out = port_with(settings_for(peer.port()));
  BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
  BOOST_TEST(in_short(send_one(*out)) == "not_begun connection_lost");
  BOOST_TEST(peer.connections() == 2);
}

// S27
BOOST_AUTO_TEST_CASE(what_an_idle_server_says_is_not_an_answer_to_the_next_message) {
  for (const auto* words : {"421 4.4.2 timeout\r\n", "250 2.0.0 Ok\r\n", "nonsense"}) {
    smtp_peer peer{{}};
    const auto out = port_with(settings_for(peer.port()));
    BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
    peer.say_to_all(words);
    if (std::string{words} == "nonsense") peer.hang_up_on_all();
    BOOST_TEST(peer.is_left(1));
    BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
    BOOST_TEST(peer.connections() == 2);
  }
}

// S27
BOOST_AUTO_TEST_CASE(two_hundred_messages_survive_a_server_that_closes_after_every_ten) {
  peer_script script;
  script.reply = [](const heard& what) {
    if (what.verb == "." && what.message == 10)
      return usual_reply(what) + "421 4.7.0 enough\r\n" + hang_up;
    return usual_reply(what);
  };
  smtp_peer peer{script};
  auto settings = settings_for(peer.port());
  settings.connections_max = 4;
  const auto out = port_with(settings);
  std::vector<std::future<outcome>> all;
  for (int n = 0; n < 200; ++n)
    all.push_back(begin_send(*out, *out->compose(mail_to("ana@example.com"))));
  for (auto& each : all)
    BOOST_TEST(in_short(result_of(each)) == "accepted 250");
  BOOST_TEST(peer.contents().size() == 200u);
}

BOOST_AUTO_TEST_CASE(without_trust_nothing_is_said) {
  smtp_peer peer{{}};
  const auto out = port_with(settings_for(peer.port()));
  const auto what = *out->compose(mail_to("ana@example.com"));
  auto cold = begin_send(*out, what, steady::now() - milliseconds{1});
  BOOST_TEST(in_short(result_of(cold)) == "not_begun trust_ended");
  BOOST_TEST(in_short(send_one(*out)) == "accepted 250");
  auto warm = begin_send(*out, what, steady::now() - milliseconds{1});
  BOOST_TEST(in_short(result_of(warm)) == "not_begun trust_ended");
  std::vector<std::future<outcome>> all;
  for (int n = 0; n < 20'000; ++n)
    all.push_back(begin_send(*out, what, steady::now() - milliseconds{1}));
  for (auto& each : all)
    BOOST_TEST((result_of(each).said == verdict::not_begun));
  BOOST_TEST(peer.times_heard("MAIL") == 1);
}

BOOST_AUTO_TEST_CASE(trust_that_ends_while_waiting_keeps_the_content_here) {
  smtp_peer peer{script_answering("DATA", silence)};
  const auto out = port_with(settings_for(peer.port()));
  auto future = begin_send(*out, *out->compose(mail_to("ana@example.com")),
                           steady::now() + milliseconds{200});
  BOOST_TEST(in_short(result_of(future)) == "refused_for_now lost_before_content_end");
  BOOST_TEST(peer.is_left(1));
  BOOST_TEST(peer.contents().empty());
}

BOOST_AUTO_TEST_CASE(trust_that_ends_within_the_content_keeps_the_final_dot_here) {
  smtp_peer peer{script_answering("DATA", deafness)};
  const auto out = port_with(settings_for(peer.port()));
  const auto what = *out->compose(mail_to("ana@example.com", large_body));
  auto future = begin_send(*out, what, steady::now() + milliseconds{600});
  BOOST_TEST(in_short(result_of(future)) == "refused_for_now lost_before_content_end");
  peer.listen_again();
  BOOST_TEST(peer.is_left(1));
  BOOST_TEST(peer.contents().empty());
}

// As after a pause of the whole machine: the 354 and the timer are found at the same moment.
BOOST_AUTO_TEST_CASE(an_io_thread_held_up_past_the_end_of_trust_sends_no_content) {
  std::promise<void> second_has_begun, io_thread_is_held;
  const auto begun = second_has_begun.get_future().share();
  const auto held = io_thread_is_held.get_future().share();
  peer_script script;
  script.reply = [=](const heard& what) {
    if (what.verb == "." && what.connection == 1) begun.wait();
    if (what.verb == "DATA" && what.connection == 2) held.wait();
    return usual_reply(what);
  };
  smtp_peer peer{script};
  const auto out = port_with(settings_for(peer.port()));
  const auto what = *out->compose(mail_to("ana@example.com"));
  const auto trusted_until = steady::now() + milliseconds{800};

  out->send(what, steady::now() + seconds{60}, [&](const outcome&) { // on the I/O thread
    io_thread_is_held.set_value();
    std::this_thread::sleep_until(trusted_until);
  });
  BOOST_TEST_REQUIRE(peer.hears("."));
  auto second = begin_send(*out, what, trusted_until);
  BOOST_TEST_REQUIRE(peer.hears("DATA", 2));
  second_has_begun.set_value();
  BOOST_TEST(in_short(result_of(second)) == "refused_for_now lost_before_content_end");
  BOOST_TEST(peer.is_left(1));
  BOOST_TEST(peer.contents().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_large_message_arrives_whole) {
  smtp_peer peer{{}};
  const auto out = port_with(settings_for(peer.port()));
  const auto what = *out->compose(mail_to("ana@example.com", large_body));
  auto future = begin_send(*out, what);
  BOOST_TEST(in_short(result_of(future)) == "accepted 250");
  BOOST_TEST((peer.contents().at(0) == what.bytes));
}

BOOST_AUTO_TEST_CASE(stopping_waits_for_the_answer_to_what_has_been_said) {
  std::promise<void> release;
  const auto released = release.get_future().share();
  peer_script script;
  script.reply = [=](const heard& what) {
    if (what.verb == ".") released.wait();
    return usual_reply(what);
  };
  smtp_peer peer{script};
  const auto out = port_with(settings_for(peer.port()));
  auto future = begin_send(*out, *out->compose(mail_to("ana@example.com")));
  BOOST_TEST_REQUIRE(peer.hears("."));
  std::thread stopping{[&] { out->stop(steady::now() + seconds{20}); }};
  const auto is_stopping = [&] { // asked with a message that says nothing in either case
    auto probe = begin_send(*out, *out->compose(mail_to("ana@example.com")), steady::now());
    return result_of(probe).cause == "stopping";
  };
  while (!is_stopping())
    std::this_thread::yield();
  release.set_value();
  BOOST_TEST(in_short(result_of(future)) == "accepted 250");
  stopping.join();
  BOOST_TEST(peer.hears("QUIT"));
  BOOST_TEST(peer.is_left(1));
}

BOOST_AUTO_TEST_CASE(at_its_deadline_a_stop_answers_every_message) {
  smtp_peer silent{script_answering("", silence)};
  smtp_peer thinking{script_answering(".", silence)};
  const auto out = port_with(settings_for(silent.port()));
  auto other = settings_for(thinking.port());
  other.connections_max = 1;
  const auto doubtful = port_with(other);
  auto begun = begin_send(*out, *out->compose(mail_to("ana@example.com")));
  auto dotted = begin_send(*doubtful, *doubtful->compose(mail_to("ana@example.com")));
  auto queued = begin_send(*doubtful, *doubtful->compose(mail_to("ana@example.com")));
  BOOST_TEST_REQUIRE(thinking.hears("."));
  out->stop(steady::now() + milliseconds{50});
  doubtful->stop(steady::now() + milliseconds{50});
  BOOST_TEST(in_short(result_of(begun)) == "not_begun stopping");
  BOOST_TEST(in_short(result_of(dotted)) == "unknown lost_answer");
  BOOST_TEST(in_short(result_of(queued)) == "not_begun stopping");
  BOOST_TEST(in_short(send_one(*out)) == "not_begun stopping");
}

BOOST_AUTO_TEST_SUITE_END()
