#include "storage/model/address.hpp"

#include <string>

#include <boost/test/unit_test.hpp>

using arauto::errc;
using arauto::parse_address;

namespace {

std::string sent_as(std::string_view written) {
  const auto address = parse_address(written);
  return address ? address->as_sent : "refused: " + address.why().text;
}

std::string key_of(std::string_view written) {
  const auto address = parse_address(written);
  return address ? address->key : "refused: " + address.why().text;
}

std::string reason_against(std::string_view written) {
  const auto address = parse_address(written);
  if (address) return "accepted";
  BOOST_TEST((address.error() == errc::bad_input));
  return address.why().text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(address)

BOOST_AUTO_TEST_CASE(a_plain_address_is_sent_as_written_with_a_lower_case_domain) {
  BOOST_TEST(sent_as("Ana.Silva+news@Example.COM") == "Ana.Silva+news@example.com");
  BOOST_TEST(sent_as("!#$%&'*+-/=?^_`{|}~@a-1.example") == "!#$%&'*+-/=?^_`{|}~@a-1.example");
}

// S37: an opt-out of one spelling stops every spelling.
BOOST_AUTO_TEST_CASE(all_spellings_of_one_person_have_one_key) {
  for (const auto* spelling : {"Ana@Example.com", "ana@example.com", "ANA@EXAMPLE.COM"})
    BOOST_TEST(key_of(spelling) == "ana@example.com");
  for (const auto* spelling :
       {"ana@ex\xC3\xA4mple.com", "Ana@EX\xC3\x84MPLE.com", "ana@xn--exmple-cua.com",
        "ana@XN--EXMPLE-CUA.com", "ana@exa\xCC\x88mple.com"}) // the last one decomposed
    BOOST_TEST(key_of(spelling) == "ana@xn--exmple-cua.com");
  BOOST_TEST(key_of("ana@example.com") != key_of("ana@example.org"));
  BOOST_TEST(key_of("ana@example.com") != key_of("a.na@example.com"));
}

// S29: an international domain alone needs no SMTPUTF8, an international local part does.
BOOST_AUTO_TEST_CASE(only_a_local_part_beyond_ascii_needs_smtputf8) {
  BOOST_TEST(!parse_address("ana@ex\xC3\xA4mple.com")->needs_utf8);
  BOOST_TEST(!parse_address("ana@example.com")->needs_utf8);
  BOOST_TEST(parse_address("jos\xC3\xA9@example.com")->needs_utf8);
  BOOST_TEST(sent_as("jos\xC3\xA9@Example.com") == "jos\xC3\xA9@example.com");
  const auto both = parse_address("\xE7\x94\xA8\xE6\x88\xB7@\xE4\xBE\x8B\xE5\xAD\x90.example");
  BOOST_TEST(both->needs_utf8);
  BOOST_TEST(both->as_sent == "\xE7\x94\xA8\xE6\x88\xB7@xn--fsqu00a.example");
}

// S29: the sharp s keeps its own domain (IDNA 2008), it is not rewritten to ss.
BOOST_AUTO_TEST_CASE(the_sharp_s_is_not_replaced) {
  BOOST_TEST(sent_as("ana@stra\xC3\x9F"
                     "e.example")
             == "ana@xn--strae-oqa.example");
}

// S22: an address that carries a second command or header.
BOOST_AUTO_TEST_CASE(controls_are_refused_before_anything_else) {
  for (const auto* bad : {"a@example.com>\r\nRCPT TO:<evil@example.net", "a\n@example.com",
                          "a@example.com\r", "a\x0B@example.com", "a\xE2\x80\xA8@example.com",
                          "a@exam\xC2\x85ple.com", "\t@example.com"})
    BOOST_TEST(reason_against(bad) == "control");
  BOOST_TEST(reason_against(std::string_view{"a\0@example.com", 14}) == "control");
}

BOOST_AUTO_TEST_CASE(what_is_no_address_is_refused_with_its_reason) {
  BOOST_TEST(reason_against("") == "empty");
  BOOST_TEST(reason_against("  ") == "empty");
  BOOST_TEST(reason_against("ana.example.com") == "no_at");
}

// S22, S23: quoted strings, comments and names around an address are another address to some
// reader.
BOOST_AUTO_TEST_CASE(only_a_dot_string_is_a_local_part) {
  for (const auto* bad :
       {"@example.com", ".a@example.com", "a.@example.com", "a..b@example.com",
        "\"a b\"@example.com", "a b@example.com", " a@example.com", "a(c)@example.com",
        "a,b@example.com", "<a@example.com", "Ana <a@example.com", "a@b@example.com",
        "a;b@example.com", "a\\b@example.com", "a:b@example.com", "a\xFF@example.com"})
    BOOST_TEST(reason_against(bad) == "local_part", bad);
}

BOOST_AUTO_TEST_CASE(only_a_host_name_is_a_domain) {
  for (const auto* bad :
       {"a@", "a@.example", "a@example.", "a@exa..mple", "a@-x.example", "a@x-.example",
        "a@ex ample.com", "a@example.com ", "a@example.com>", "a@[127.0.0.1]", "a@127.0.0.1",
        "a@ex_ample.com", "a@exa,mple.com", "a@xn--0.example", "a@exa\xFFmple.com",
        "a@example.com\xEF\xBC\x9E", "a@ex\xC3\xA4>mple.com"})
    BOOST_TEST(reason_against(bad) == "domain", bad);
}

BOOST_AUTO_TEST_CASE(lengths_end_where_smtp_ends_them) {
  const std::string local_64(64, 'a');
  BOOST_TEST(reason_against(local_64 + "@example.com") == "accepted");
  BOOST_TEST(reason_against(local_64 + "a@example.com") == "too_long");
  const auto label_63 = std::string(63, 'b');
  BOOST_TEST(reason_against("a@" + label_63 + ".example") == "accepted");
  BOOST_TEST(reason_against("a@b" + label_63 + ".example") == "domain");
  const auto host_189 = label_63 + '.' + label_63 + '.' + std::string(61, 'c');
  BOOST_TEST(reason_against(local_64 + '@' + host_189) == "accepted"); // 254 in all
  BOOST_TEST(reason_against(local_64 + '@' + host_189 + 'c') == "too_long");
  BOOST_TEST(reason_against(std::string(2'000'000, 'a') + "@example.com") == "too_long");
}

BOOST_AUTO_TEST_SUITE_END()
