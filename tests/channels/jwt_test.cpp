// Tokens that tell providers who we are.
#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include "actors/channels/jwt.hpp"
#include "storage/model/base64.hpp"
#include "tests/support/push_keys.hpp"

using namespace arauto;
using namespace arauto::channels;
using namespace arauto::tests;

namespace {

struct parts {
  nlohmann::json header, claims;
  std::string signed_text, signature;
};

parts taken_apart(const std::string& token) {
  const auto first = token.find('.');
  const auto last = token.rfind('.');
  const auto json_of = [](const std::string& text) {
    return nlohmann::json::parse(base64url_bytes(text).value());
  };
  return {json_of(token.substr(0, first)), json_of(token.substr(first + 1, last - first - 1)),
          token.substr(0, last), base64url_bytes(token.substr(last + 1)).value()};
}

const nlohmann::json claims{{"iss", "ana@loja"}, {"iat", 1'700'000'000}};

} // namespace

BOOST_AUTO_TEST_SUITE(jwt)

BOOST_AUTO_TEST_CASE(an_rs256_token_is_signed_with_the_accounts_key) {
  const auto pair = new_rsa_pair();
  const auto key = rsa_key::of_pem(pair.private_pem);
  BOOST_TEST_REQUIRE(static_cast<bool>(key));
  const auto token = taken_apart(*make_jwt(*key, {{"kid", "k1"}, {"typ", "JWT"}}, claims));
  BOOST_TEST(token.header == nlohmann::json({{"alg", "RS256"}, {"kid", "k1"}, {"typ", "JWT"}}));
  BOOST_TEST(token.claims == claims);
  BOOST_TEST(is_signed_by(pair.public_pem, token.signed_text, token.signature));
  BOOST_TEST(!is_signed_by(pair.public_pem, token.signed_text + "x", token.signature));
}

BOOST_AUTO_TEST_CASE(an_es256_signature_is_r_and_s_at_their_full_width) {
  const auto pair = new_ec_pair();
  const auto key = p256_key::of_pem(pair.private_pem);
  BOOST_TEST_REQUIRE(static_cast<bool>(key));
  for (int n = 0; n < 600; ++n) { // one in 128 has an R or S that begins with a zero byte
    const auto token = taken_apart(*make_jwt(*key, {{"kid", "k1"}}, {{"iat", n}}));
    BOOST_TEST_REQUIRE(token.signature.size() == 64u);
    BOOST_TEST_REQUIRE(is_signed_by(pair.public_pem, token.signed_text, token.signature));
  }
}

BOOST_AUTO_TEST_CASE(a_key_of_the_wrong_kind_is_refused_with_words) {
  const auto rsa = new_rsa_pair().private_pem;
  const auto ec = new_ec_pair().private_pem;
  BOOST_TEST(rsa_key::of_pem(ec).why().text == "not an RSA key");
  BOOST_TEST(p256_key::of_pem(rsa).why().text == "not a key on an elliptic curve");
  BOOST_TEST(p256_key::of_pem(new_ec_pair("P-384").private_pem).why().text
             == "not a key on the curve P-256");
  BOOST_TEST(rsa_key::of_pem(new_rsa_pair(1'024).private_pem).why().text
             == "an RSA key of less than 2048 bits");
  for (const auto& broken : {std::string{}, std::string{"-----BEGIN PRIVATE KEY-----"},
                             rsa.substr(0, rsa.size() / 2), new_ec_pair().public_pem}) {
    BOOST_TEST(!rsa_key::of_pem(broken));
    BOOST_TEST(!p256_key::of_pem(broken));
  }
}

BOOST_AUTO_TEST_SUITE_END()
