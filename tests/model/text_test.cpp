#include "storage/model/text.hpp"

#include <string>

#include <boost/test/unit_test.hpp>

using arauto::has_control;
using arauto::is_utf8;
using arauto::mended_utf8;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(every_well_formed_length_is_utf8) {
  for (const auto* good : {"", "plain", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
                           "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
    BOOST_TEST(is_utf8(good), "refused " << good);
  BOOST_TEST(is_utf8(std::string_view{"\0", 1}));
}

// S08: bytes that no Unicode text contains.
BOOST_AUTO_TEST_CASE(overlong_forms_surrogates_and_values_past_the_end_are_not_utf8) {
  for (const auto* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x20", "\xE0\x9F\xBF", "\xE0\xA0",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x90\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "\xFE", "usu\xE1rio", "ok\xE2\x82"})
    BOOST_TEST(!is_utf8(bad), "accepted a broken sequence of " << std::string{bad}.size());
}

// S08: a provider that answers in Latin-1.
BOOST_AUTO_TEST_CASE(a_latin_1_answer_is_kept_readable_and_valid) {
  const auto kept = mended_utf8("550 5.1.1 usu\xE1rio inexistente", 500);
  BOOST_TEST(kept == "550 5.1.1 usu\xEF\xBF\xBDrio inexistente");
  BOOST_TEST(is_utf8(kept));
}

BOOST_AUTO_TEST_CASE(mending_swallows_nothing_that_can_be_read) {
  BOOST_TEST(mended_utf8("a\xE2\x82z", 100) == "a\xEF\xBF\xBDz");
  BOOST_TEST(mended_utf8("\xF0\x9F\x98", 100) == "\xEF\xBF\xBD");
  BOOST_TEST(mended_utf8("\xED\xA0\x80", 100) == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  BOOST_TEST(mended_utf8("caf\xC3\xA9 \xE2\x82\xAC", 100) == "caf\xC3\xA9 \xE2\x82\xAC");
}

BOOST_AUTO_TEST_CASE(controls_become_blanks_but_tab_and_newline_stay) {
  BOOST_TEST(mended_utf8("a\r\n\tb\x1B[0m", 100) == "a \n\tb [0m");
  BOOST_TEST(mended_utf8(std::string_view{"a\0b", 3}, 100) == "a b");
}

// S08: a megabyte of NUL, and a cut that would split a character.
BOOST_AUTO_TEST_CASE(mended_text_is_bounded_and_cut_between_characters) {
  BOOST_TEST(mended_utf8(std::string(1'000'000, '\0'), 500) == std::string(500, ' '));
  BOOST_TEST(mended_utf8("ab\xE2\x82\xAC", 4) == "ab");
  BOOST_TEST(mended_utf8("ab\xE2\x82\xAC", 5) == "ab\xE2\x82\xAC");
  BOOST_TEST(mended_utf8("a\xFF", 3) == "a");
  BOOST_TEST(mended_utf8("anything", 0).empty());
}

// S22: every character that some reader takes for the end of a line.
BOOST_AUTO_TEST_CASE(each_character_that_could_end_a_header_is_a_control) {
  for (const auto* bad : {"\r", "\n", "\x0B", "\x01", "\x1F", "\x7F", "x\xC2\x80y", "x\xC2\x85y",
                          "x\xC2\x9Fy", "x\xE2\x80\xA8y", "x\xE2\x80\xA9y", "tab\there"})
    BOOST_TEST(has_control(bad));
  BOOST_TEST(has_control(std::string_view{"a\0b", 3}));
}

BOOST_AUTO_TEST_CASE(letters_of_any_script_are_no_controls) {
  for (const auto* good : {"", "plain", "caf\xC3\xA9", "\xC2\xA0", "\xE2\x80\xA7", "\xE2\x80\xAE",
                           "\xE4\xBE\x8B\xE5\xAD\x90", "\xF0\x9F\x98\x80"})
    BOOST_TEST(!has_control(good));
}

BOOST_AUTO_TEST_SUITE_END()
