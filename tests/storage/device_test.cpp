// S36: a token belongs to the last user who registered it, in one transaction, within its tenant
// and app.
#include <future>

#include <boost/test/unit_test.hpp>

#include "storage/devices.hpp"
#include "tests/support/ledger.hpp"

namespace arauto::tests {

namespace {

const user_id ben{"ben"};

struct devices : ledger {
  devices() { add_user(acme, ben, "ben@example.com"); }

  storage::device given(const std::string& id, const std::string& token,
                        const std::string& app = "") {
    return {id, {provider::fcm, app}, token, {}, {}};
  }
  bool put(const user_id& who, const storage::device& what, const tenant_id& of = acme) {
    auto made = storage::put_device(db, of, who, what);
    BOOST_REQUIRE_MESSAGE(made, to_string(made.error()) + " " + made.why().text);
    return made->created;
  }
  std::string owners(const std::string& token) {
    return value(
        "select coalesce(string_agg(tenant_id || '/' || user_id || '/' || device_id, ' ' order by "
        "tenant_id, user_id), '') from arauto.device where ended_at is null and token = '"
        + token + "'");
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(devices_of_people)

BOOST_FIXTURE_TEST_CASE(a_token_moves_to_the_user_who_registered_it_last_S36, devices) {
  BOOST_TEST(put(ana, given("phone", "t1")));
  BOOST_TEST(put(ben, given("phone", "t1")));
  BOOST_TEST(owners("t1") == "acme/ben/phone");
  BOOST_TEST(value("select end_reason from arauto.device where user_id = 'ana'") == "moved");
  put(ana, given("phone", "t1"));
  BOOST_TEST(owners("t1") == "acme/ana/phone");
}

BOOST_FIXTURE_TEST_CASE(another_tenant_and_another_app_keep_the_same_token_S36, devices) {
  const tenant_id zeta{"zeta"};
  add_tenant(zeta);
  add_user(zeta, ana, "ana@zeta.example");
  put(ana, given("phone", "t1"));
  put(ana, given("phone", "t1"), zeta);
  put(ben, given("phone", "t1", "other"));
  BOOST_TEST(owners("t1") == "acme/ana/phone acme/ben/phone zeta/ana/phone");
}

BOOST_FIXTURE_TEST_CASE(registering_the_same_again_changes_nothing_but_the_time, devices) {
  BOOST_TEST(put(ana, given("phone", "t1")));
  BOOST_TEST(!put(ana, given("phone", "t1")));
  BOOST_TEST(value("select count(*) from arauto.device") == "1");
}

BOOST_FIXTURE_TEST_CASE(two_at_once_leave_one_owner_S36, devices) {
  for (int round = 0; round < 20; ++round) {
    const auto token = "t" + std::to_string(round);
    auto other = std::async(std::launch::async, [&] {
      storage::session second{settings()};
      return storage::put_device(second, acme, ben, given("phone-" + token, token)).error();
    });
    put(ana, given("phone-" + token, token));
    BOOST_TEST(to_string(other.get()) == to_string(errc::none));
    BOOST_TEST(value("select count(*) from arauto.device where ended_at is null and token = '"
                     + token + "'")
               == "1");
  }
}

BOOST_FIXTURE_TEST_CASE(nobody_has_more_than_fifty, devices) {
  for (int i = 0; i < 50; ++i)
    put(ana, given("d" + std::to_string(i), "t" + std::to_string(i)));
  BOOST_TEST(to_string(storage::put_device(db, acme, ana, given("one-more", "t-more")).error())
             == to_string(errc::no_room));
  put(ana, given("d0", "t-other")); // a change of one of them is none more
  BOOST_TEST(to_string(storage::put_device(db, acme, {"nobody"}, given("phone", "t")).error())
             == to_string(errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(an_ended_device_has_no_token_and_is_listed, devices) {
  put(ana, given("phone", "t1"));
  BOOST_REQUIRE(storage::end_device(db, acme, ana, "phone"));
  BOOST_TEST(owners("t1") == "");
  BOOST_TEST(value("select token || end_reason from arauto.device") == "removed");
  const auto listed = storage::list_devices(db, acme, ana);
  BOOST_REQUIRE(listed);
  BOOST_TEST(listed->size() == 1u);
  BOOST_TEST(to_string(storage::end_device(db, acme, ana, "tablet").error())
             == to_string(errc::not_found));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace arauto::tests
