// The shape of keys. How they are looked up is tested against a whole server (api_test.cpp).
#include <boost/test/unit_test.hpp>

#include "http/credentials.hpp"
#include "http/service.hpp"
#include "storage/model/chance.hpp"

using namespace arauto;
using namespace arauto::http;

BOOST_AUTO_TEST_SUITE(credentials_read)

BOOST_AUTO_TEST_CASE(a_new_key_is_read_back_and_its_secret_has_the_digest_stored) {
  const auto made = make_key({"acme"});
  BOOST_TEST(made.whole_text.substr(0, 8) == "ar_live_");
  const auto read = read_bearer("Bearer " + made.whole_text);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->prefix == made.prefix);
  BOOST_TEST(read->secret.size() == 43u);
  BOOST_TEST(same_digest(sha256_hex(read->secret), made.digest));
  BOOST_TEST(make_key({"acme"}).whole_text != made.whole_text);
}

BOOST_AUTO_TEST_CASE(an_operators_key_is_marked_as_one) {
  const auto made = make_key({});
  BOOST_TEST(made.whole_text.substr(0, 6) == "ar_op_");
  const auto read = read_bearer("Bearer " + made.whole_text);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((read->whose == key_kind::of_operator));
  BOOST_TEST((read_bearer("Bearer ar_live_a_b")->whose == key_kind::of_tenant));
}

BOOST_AUTO_TEST_CASE(the_scheme_has_no_case_and_the_key_has) {
  BOOST_TEST(read_bearer("bearer ar_live_a_b").has_value());
  BOOST_TEST(read_bearer("BEARER   ar_live_a_b").has_value());
  BOOST_TEST(!read_bearer("Bearer AR_LIVE_a_b").has_value());
}

BOOST_AUTO_TEST_CASE(what_is_no_key_is_not_looked_up) {
  for (const auto* header :
       {"", "Bearer", "Bearer ", "ar_live_a_b", "Basic ar_live_a_b", "Bearer ar_live_ab",
        "Bearer ar_live__b", "Bearer ar_live_a_", "Bearer ar_live_a_b_c", "Bearer ar_live_a_b ",
        "Bearer ar_live_a'_b", "Bearer ar_test_a_b", "Bearer ar_live_a_b%00"})
    BOOST_TEST(!read_bearer(header).has_value(), header);
  BOOST_TEST(!read_bearer("Bearer ar_live_" + std::string(33, 'a') + "_b").has_value());
  BOOST_TEST(!read_bearer("Bearer ar_live_a_" + std::string(129, 'b')).has_value());
}

BOOST_AUTO_TEST_CASE(digests_are_the_same_only_when_they_are) {
  BOOST_TEST(same_digest("abc", "abc"));
  BOOST_TEST(!same_digest("abc", "abd"));
  BOOST_TEST(!same_digest("abc", "ab"));
}

BOOST_AUTO_TEST_CASE(the_media_type_is_json_in_utf_8) {
  for (const auto* type : {"application/json", "Application/JSON",
                           "application/json; charset=utf-8", "application/json;charset=UTF-8",
                           "application/json ; charset=\"utf-8\"", "application/json;"})
    BOOST_TEST(is_json_type(type), type);
  for (const auto* type :
       {"", "text/plain", "application/jsonp", "application/problem+json", "multipart/form-data",
        "application/json; charset=latin1", "application/json; charset=utf-16",
        "application/json; boundary=x", "application/json; charset=utf-8; x=y",
        "application/x-www-form-urlencoded"})
    BOOST_TEST(!is_json_type(type), type);
}

BOOST_AUTO_TEST_SUITE_END()
