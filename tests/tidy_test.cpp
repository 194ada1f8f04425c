// Walks the source tree and holds it to the rules of the house. Each rule is a function over (path,
// text), so that the test also hands it a sabotaged text and sees it object: a rule that cannot go
// red guards nothing.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/source_text.hpp"

namespace fs = std::filesystem;
using arauto::tests::source_text;

namespace {

using objections = std::vector<std::string>;
using rule = std::function<objections(const std::string& path, const std::string& text)>;

bool starts_with(const std::string& text, const std::string& beginning) {
  return text.rfind(beginning, 0) == 0;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_cpp(const std::string& path) {
  return ends_with(path, ".cpp") || ends_with(path, ".hpp");
}

bool is_product(const std::string& path) {
  return is_cpp(path) && !starts_with(path, "tests/");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in{text};
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

// -- floors: a floor includes only floors below it ---------------------------------------------

// Longest folder first: storage/model is no part of storage here.
const std::vector<std::string> floors{
    "storage/model", "storage", "actors/channels", "actors", "http", "deployment", "tests"};
const std::map<std::string, std::set<std::string>> may_include{
    {"storage/model", {"storage/model"}},
    {"storage", {"storage/model", "storage"}},
    {"actors/channels", {"storage/model", "actors/channels"}},
    {"actors", {"storage/model", "storage", "actors/channels", "actors"}},
    {"http", {"storage/model", "storage", "actors/channels", "actors", "http"}},
    {"deployment", {"storage/model", "storage", "actors/channels", "actors", "http", "deployment"}},
    {"tests", {floors.begin(), floors.end()}},
};
// What stands behind a library's header belongs to one floor; tests may use everything.
const std::vector<std::pair<std::string, std::string>> libraries{
    {"pqxx/", "storage"},          {"libpq-fe.h", "storage"},         {"caf/", "actors"},
    {"httplib.h", "http"},         {"boost/asio", "actors/channels"}, {"curl/", "actors/channels"},
    {"gmime/", "actors/channels"}, {"kainjow/", "storage/model"},     {"CLI/", "deployment"},
    {"toml++/", "deployment"},
};

std::string floor_of(const std::string& path) {
  for (const auto& floor : floors)
    if (starts_with(path, floor + "/")) return floor;
  return "";
}

objections includes_point_down(const std::string& path, const std::string& text) {
  static const std::regex include{R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])"};
  objections found;
  const auto floor = floor_of(path);
  if (!is_cpp(path) || floor.empty()) return found;
  for (const auto& line : lines_of(text)) {
    std::smatch what;
    if (!std::regex_search(line, what, include)) continue;
    const auto header = what[2].str();
    if (what[1] == "\"" && may_include.at(floor).count(floor_of(header)) == 0)
      found.push_back(floor + " may not include " + header);
    for (const auto& [library, home] : libraries)
      if (starts_with(header, library) && floor != home && floor != "tests")
        found.push_back(header + " belongs to " + home);
  }
  return found;
}

// -- SQL lives in storage/sql ------------------------------------------------------------------

objections no_sql_in_code(const std::string& path, const std::string& text) {
  static const std::regex sql{R"(\b(select\s[^]*\bfrom\s|select\s+[\w.]+\(|select\s+\d|)"
                              R"(insert\s+into\s|update\s+[\w.]+\s+set\s|delete\s+from\s))",
                              std::regex::icase};
  objections found;
  if (!is_product(path)) return found;
  for (const auto& literal : source_text{text}.literals)
    if (std::regex_search(literal, sql)) found.push_back("SQL text: " + literal.substr(0, 60));
  return found;
}

// -- every message has a number on the wire ----------------------------------------------------

std::set<std::string> registered_types(const std::string& text) {
  static const std::regex line{R"(CAF_ADD_TYPE_ID\(\w+,\s*\(([\w:]+)\)\))"};
  std::set<std::string> names;
  for (std::sregex_iterator at{text.begin(), text.end(), line}, end; at != end; ++at)
    names.insert((*at)[1].str());
  return names;
}

// `text` is actors/protocol.hpp or a file that declares interfaces like it.
objections messages_are_registered(const std::string& text,
                                   const std::set<std::string>& registered) {
  static const std::regex use{R"(\b(reacts_to|replies_to|with)<([^<>]*)>)"};
  static const std::regex name{R"([A-Za-z_][\w:]*)"};
  static const std::set<std::string> built_in{"void", "bool", "int32_t", "std::int32_t", "const"};
  objections found;
  const auto code = source_text{text}.code;
  for (std::sregex_iterator at{code.begin(), code.end(), use}, end; at != end; ++at) {
    const auto inner = (*at)[2].str();
    for (std::sregex_iterator each{inner.begin(), inner.end(), name}; each != end; ++each) {
      const auto type = each->str();
      if (built_in.count(type) == 0 && registered.count(type) == 0
          && registered.count("arauto::" + type) == 0)
        found.push_back("message without a type id: " + type);
    }
  }
  return found;
}

// -- size and words ----------------------------------------------------------------------------

objections lines_fit(const std::string& path, const std::string& text) {
  objections found;
  if (!is_cpp(path)) return found;
  std::size_t number = 0;
  for (const auto& line : lines_of(text)) {
    ++number;
    std::size_t columns = 0;
    for (const unsigned char c : line)
      columns += (c & 0xC0U) != 0x80U ? 1 : 0; // UTF-8: only first bytes count
    if (columns > 100)
      found.push_back("line " + std::to_string(number) + " has " + std::to_string(columns)
                      + " columns");
  }
  return found;
}

objections files_and_functions_are_short(const std::string& path, const std::string& text) {
  objections found;
  if (!is_product(path)) return found;
  const auto lines = lines_of(text);
  if (lines.size() > 400) found.push_back("a file of " + std::to_string(lines.size()) + " lines");
  static const std::regex opens{
      R"(^[A-Za-z].*\)[^;]*\{$)"}; // a function's first line, or the last of its head
  std::size_t begun = 0;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (begun == 0 && std::regex_match(lines[n], opens)) begun = n + 1;
    if (begun == 0 || !starts_with(lines[n], "}")) continue;
    if (n + 1 - begun > 70)
      found.push_back("a function of " + std::to_string(n + 1 - begun) + " lines at "
                      + std::to_string(begun));
    begun = 0;
  }
  return found;
}

objections words_are_ours(const std::string& path, const std::string& text) {
  static const std::regex identifier{R"([A-Za-z_]\w*)"};
  static const std::regex banned{R"((^|_)(jobs?|tasks?|managers?|helpers?|utils?)(_|$))",
                                 std::regex::icase};
  objections found;
  if (!is_product(path)) return found;
  const auto code = source_text{text}.code;
  for (std::sregex_iterator at{code.begin(), code.end(), identifier}, end; at != end; ++at) {
    const auto word = at->str();
    if (starts_with(word, "g_mime_") || word == "new_task_queue")
      continue; // others gave these names
    if (std::regex_search(word, banned)) found.push_back("not a word of ours: " + word);
  }
  return found;
}

// The product speaks of itself, not of the machine it was written on.
objections no_machine_paths(const std::string&, const std::string& text) {
  static const std::regex machine{R"((^|[^\w.])/(work|home/[a-z]+|root/\w+)/)"};
  std::smatch what;
  if (std::regex_search(text, what, machine)) return {"path of one machine: " + what.str()};
  return {};
}

objections readmes_are_short(const std::string& path, const std::string& text) {
  const std::size_t most = path == "README.md" ? 120 : 80; // the first page has a tour to give
  if (!ends_with(path, "README.md") || lines_of(text).size() <= most) return {};
  return {"a README of more than " + std::to_string(most) + " lines"};
}

// -- the tree ----------------------------------------------------------------------------------

const fs::path root = ARAUTO_SOURCE_DIR;

std::string read(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

bool is_text(const fs::path& file) {
  static const std::set<std::string> kinds{".cpp", ".hpp",   ".sql", ".md",  ".txt",
                                           ".sh",  ".cmake", ".py",  ".toml"};
  return kinds.count(file.extension().string()) != 0;
}

std::map<std::string, std::string> all_texts() {
  std::map<std::string, std::string> texts;
  for (const auto& entry : fs::directory_iterator{root}) {
    const auto name = entry.path().filename().string();
    if (name.front() == '.' || starts_with(name, "build")) continue;
    if (entry.is_regular_file() && is_text(entry.path())) texts[name] = read(entry.path());
    if (!entry.is_directory()) continue;
    for (const auto& inner : fs::recursive_directory_iterator{entry.path()})
      if (inner.is_regular_file() && is_text(inner.path())
          && inner.path().string().find("/node_modules/") == std::string::npos) // not ours
        texts[inner.path().lexically_relative(root).string()] = read(inner.path());
  }
  return texts;
}

void obey(const rule& law) {
  for (const auto& [path, text] : all_texts())
    for (const auto& objection : law(path, text))
      BOOST_ERROR(path + ": " + objection);
}

bool red(const rule& law, const std::string& path, const std::string& sabotaged) {
  return !law(path, sabotaged).empty();
}

} // namespace

BOOST_AUTO_TEST_SUITE(tidy)

BOOST_AUTO_TEST_CASE(a_floor_includes_only_floors_below_it) {
  obey(includes_point_down);
  BOOST_TEST(red(includes_point_down, "storage/x.cpp", "#include \"actors/protocol.hpp\"\n"));
  BOOST_TEST(red(includes_point_down, "storage/model/x.hpp", "#include \"storage/session.hpp\"\n"));
  BOOST_TEST(
      red(includes_point_down, "actors/channels/x.cpp", "#include \"actors/protocol.hpp\"\n"));
  BOOST_TEST(red(includes_point_down, "http/x.cpp", "  #  include \"deployment/dev.hpp\"\n"));
  BOOST_TEST(red(includes_point_down, "deployment/x.cpp",
                 "#include \"tests/support/own_database.hpp\"\n"));
  BOOST_TEST(!red(includes_point_down, "actors/x.cpp", "#include \"storage/deliveries.hpp\"\n"));
}

BOOST_AUTO_TEST_CASE(a_library_is_used_on_its_own_floor_only) {
  BOOST_TEST(red(includes_point_down, "http/x.cpp", "#include <pqxx/pqxx>\n"));
  BOOST_TEST(red(includes_point_down, "storage/x.cpp", "#include <caf/all.hpp>\n"));
  BOOST_TEST(red(includes_point_down, "actors/channels/x.cpp", "#include <caf/all.hpp>\n"));
  BOOST_TEST(red(includes_point_down, "deployment/x.cpp", "#include <httplib.h>\n"));
  BOOST_TEST(red(includes_point_down, "actors/x.cpp", "#include <boost/asio/io_context.hpp>\n"));
  BOOST_TEST(!red(includes_point_down, "storage/x.cpp", "#include <pqxx/pqxx>\n"));
  BOOST_TEST(!red(includes_point_down, "tests/x.cpp", "#include <pqxx/pqxx>\n"));
}

BOOST_AUTO_TEST_CASE(sql_stands_in_files_of_its_own) {
  obey(no_sql_in_code);
  BOOST_TEST(red(no_sql_in_code, "storage/x.cpp",
                 "t.exec(\"select id \" // why\n  \"from arauto.event\");"));
  BOOST_TEST(red(no_sql_in_code, "http/x.cpp",
                 "auto q = R\"q(\nupdate arauto.delivery\nset state = $1)q\";"));
  BOOST_TEST(red(no_sql_in_code, "actors/x.cpp", "\"INSERT INTO arauto.event values ($1)\""));
  BOOST_TEST(red(no_sql_in_code, "actors/x.cpp", "\"delete from arauto.event where true\""));
  BOOST_TEST(!red(no_sql_in_code, "tests/x.cpp", "\"delete from arauto.event\""));
  BOOST_TEST(
      !red(no_sql_in_code, "storage/x.cpp", "// select it from there\nf(\"select\"); g('\"');"));
}

BOOST_AUTO_TEST_CASE(every_message_has_a_type_id) {
  std::set<std::string> registered;
  std::string interfaces;
  for (const auto& [path, text] : all_texts()) {
    if (floor_of(path) != "actors" || !is_cpp(path)) continue;
    registered.merge(registered_types(text));
    interfaces += text;
  }
  for (const auto& objection : messages_are_registered(interfaces, registered))
    BOOST_ERROR(objection);
  const auto known = registered_types("CAF_ADD_TYPE_ID(arauto, (arauto::claim_due))");
  BOOST_TEST(messages_are_registered("caf::replies_to<claim_due>::with<claim_due>", known).empty());
  BOOST_TEST(!messages_are_registered("caf::reacts_to<poll_due>", known).empty());
  BOOST_TEST(!messages_are_registered("caf::replies_to<claim_due>::with<claimed>", known).empty());
}

BOOST_AUTO_TEST_CASE(lines_have_at_most_100_columns) {
  obey(lines_fit);
  BOOST_TEST(red(lines_fit, "storage/x.cpp", std::string(101, 'x')));
  BOOST_TEST(!red(lines_fit, "storage/x.cpp", std::string(98, 'x') + "\xC3\xA9\xC3\xA9\n"));
}

BOOST_AUTO_TEST_CASE(files_have_at_most_400_lines_and_functions_70) {
  obey(files_and_functions_are_short);
  std::string long_function = "int f() {\n";
  for (int n = 0; n < 70; ++n)
    long_function += "  g();\n";
  BOOST_TEST(red(files_and_functions_are_short, "http/x.cpp", long_function + "}\n"));
  BOOST_TEST(red(files_and_functions_are_short, "http/x.cpp", std::string(401, '\n')));
  BOOST_TEST(!red(files_and_functions_are_short, "http/x.cpp", std::string(400, '\n')));
}

BOOST_AUTO_TEST_CASE(names_say_what_a_thing_is) {
  obey(words_are_ours);
  for (const auto* word : {"job", "task_queue", "send_manager", "string_utils", "helper"})
    BOOST_TEST(red(words_are_ours, "actors/x.cpp", std::string{"struct "} + word + " {};"), word);
  BOOST_TEST(!red(words_are_ours, "actors/x.cpp", "// no job\nauto jobless = \"job\";"));
}

BOOST_AUTO_TEST_CASE(no_file_knows_the_machine_it_was_written_on) {
  obey(no_machine_paths);
  BOOST_TEST(red(no_machine_paths, "README.md", std::string{"see /wo"} + "rk/x/y\n"));
  BOOST_TEST(!red(no_machine_paths, "README.md", "network/x and /tmp/x and ./work/x\n"));
}

BOOST_AUTO_TEST_CASE(each_folder_explains_itself_in_at_most_80_lines) {
  obey(readmes_are_short);
  BOOST_TEST(red(readmes_are_short, "http/README.md", std::string(81, '\n')));
  for (const auto* folder : {".", "storage", "storage/model", "actors", "actors/channels", "http",
                             "deployment", "tests"})
    BOOST_TEST(fs::exists(root / folder / "README.md"),
               std::string{folder} + "/README.md is missing");
}

BOOST_AUTO_TEST_CASE(the_top_level_holds_exactly_the_floors) {
  const std::set<std::string> wanted{"CMakeLists.txt", "README.md", "actors", "deployment",
                                     "http",           "storage",   "tests"};
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator{root}) {
    const auto name = entry.path().filename().string();
    if (name.front() != '.' && !starts_with(name, "build")) found.insert(name);
  }
  BOOST_TEST(found == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
