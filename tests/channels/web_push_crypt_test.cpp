// Encryption for browsers, against the example of RFC 8291, and keys on P-256.
#include <boost/test/unit_test.hpp>

#include "actors/channels/web_push_crypt.hpp"
#include "storage/model/base64.hpp"

using namespace arauto;
using namespace arauto::channels;

namespace {

std::string raw(const char* text) {
  return base64url_bytes(text).value();
}

const auto browser_point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8"
                           "pZGH6SRpkNtoIAiw4";
const auto browser_auth = "BTBZMqHH6r4Tts7J_aSIgg";
const auto our_scalar = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
const auto salt = "DGv6ra1nlYgDCS1FRnbzlw";

} // namespace

BOOST_AUTO_TEST_SUITE(web_push_encryption)

// S34
BOOST_AUTO_TEST_CASE(the_example_of_rfc_8291_comes_out_byte_for_byte) {
  const auto ours = *p256_key::of_scalar(raw(our_scalar));
  BOOST_TEST(base64url(ours.public_point())
             == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru"
                "3jl7A8");
  const auto body = encrypt_push("When I grow up, I want to be a watermelon",
                                 {raw(browser_point), raw(browser_auth)}, ours, raw(salt));
  BOOST_TEST_REQUIRE(static_cast<bool>(body));
  BOOST_TEST(base64url(*body)
             == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCY"
                "LocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWy"
                "ouBWLVWGNWQexSgSxsj_Qulcy4a-fN");
}

BOOST_AUTO_TEST_CASE(a_full_record_has_4096_bytes_and_no_more_is_taken) {
  const auto ours = *p256_key::of_scalar(raw(our_scalar));
  const browser_keys keys{raw(browser_point), raw(browser_auth)};
  BOOST_TEST(encrypt_push(std::string(3'993, 'x'), keys, ours, raw(salt))->size() == 4'096u);
  BOOST_TEST(encrypt_push(std::string(3'994, 'x'), keys, ours, raw(salt)).why().text
             == "too_large");
}

BOOST_AUTO_TEST_CASE(keys_that_are_none_are_refused) {
  const auto ours = *p256_key::of_scalar(raw(our_scalar));
  auto off_the_curve = raw(browser_point);
  off_the_curve.back() = static_cast<char>(off_the_curve.back() ^ 1);
  for (const auto& point : {std::string{}, off_the_curve, std::string(65, '\x04'),
                            std::string{"\0", 1}, raw(browser_point).substr(0, 64)})
    BOOST_TEST(encrypt_push("x", {point, raw(browser_auth)}, ours, raw(salt)).why().text
               == "keys_unusable");
  BOOST_TEST(encrypt_push("x", {raw(browser_point), "short"}, ours, raw(salt)).why().text
             == "keys_unusable");
  BOOST_TEST(!p256_key::of_scalar(std::string(32, '\0')));
  BOOST_TEST(!p256_key::of_scalar(std::string(32, '\xFF'))); // past the curve's order
  BOOST_TEST(!p256_key::of_scalar("short"));
}

BOOST_AUTO_TEST_CASE(two_keys_agree_on_one_secret) {
  const auto one = *p256_key::of_scalar(raw(our_scalar));
  const auto pair = new_vapid_pair();
  const auto other = *p256_key::of_scalar(raw(pair.private_key.c_str()));
  BOOST_TEST(*one.agree(other.public_point()) == *other.agree(one.public_point()));
}

BOOST_AUTO_TEST_CASE(a_new_pair_belongs_together_and_is_new) {
  const auto pair = new_vapid_pair();
  const auto key = p256_key::of_scalar(raw(pair.private_key.c_str()));
  BOOST_TEST_REQUIRE(static_cast<bool>(key));
  BOOST_TEST(base64url(key->public_point()) == pair.public_key);
  BOOST_TEST(new_vapid_pair().private_key != pair.private_key);
}

BOOST_AUTO_TEST_SUITE_END()
