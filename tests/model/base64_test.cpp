// Keys and secrets of accounts and browsers come as base64.
#include <boost/test/unit_test.hpp>

#include "storage/model/base64.hpp"

using namespace arauto;

BOOST_AUTO_TEST_SUITE(base64_text)

BOOST_AUTO_TEST_CASE(the_vectors_of_rfc_4648_are_written_and_read) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    BOOST_TEST(base64(bytes) == text);
    BOOST_TEST(base64_bytes(text).value_or("unread") == bytes);
    const std::string written{text};
    BOOST_TEST(base64url(bytes) == written.substr(0, written.find('=')));
    BOOST_TEST(base64url_bytes(text).value_or("unread") == bytes);
    BOOST_TEST(base64url_bytes(base64url(bytes)).value_or("unread") == bytes);
  }
}

BOOST_AUTO_TEST_CASE(each_alphabet_knows_its_own_letters_only) {
  BOOST_TEST(base64("\xFB\xFF\xBF") == "+/+/");
  BOOST_TEST(base64url("\xFB\xFF\xBF") == "-_-_");
  BOOST_TEST(!base64url_bytes("+/+/"));
  BOOST_TEST(!base64_bytes("-_-_"));
}

BOOST_AUTO_TEST_CASE(one_value_has_one_spelling) {
  for (const auto* text : {"Z", "Zh==", "Zm9=", "Zg=", "Zg===", "Zm9v=", "Zm 9v", "Zm9v\n", "=",
                           "==", "Z===", "Zg==Zg=="}) {
    BOOST_TEST(!base64_bytes(text), text);
    BOOST_TEST(!base64url_bytes(text), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
