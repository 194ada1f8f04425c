#include "tests/support/mail_oracle.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace arauto::tests {

namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe{::popen(command.c_str(), "r"), &::pclose};
  if (!pipe) throw std::runtime_error{"the mail oracle did not start"};
  std::string output;
  char room[4096];
  for (std::size_t n; (n = std::fread(room, 1, sizeof room, pipe.get())) > 0;)
    output.append(room, n);
  return output;
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  return bytes;
}

} // namespace

own_directory::own_directory() {
  auto name = (std::filesystem::temp_directory_path() / "arauto-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no directory for the test"};
  path_ = name;
}

own_directory::~own_directory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string file_bytes(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<mail_fields> read_mails(const std::vector<std::string>& messages) {
  const own_directory room;
  std::string command = "cd " + room.path() + " && ls -v | xargs /usr/bin/python3 "
                        + ARAUTO_SOURCE_DIR + "/tests/support/mail_parse.py";
  for (std::size_t n = 0; n < messages.size(); ++n)
    std::ofstream{room.path() + "/" + std::to_string(n), std::ios::binary} << messages[n];
  std::istringstream lines{output_of(command)};
  std::vector<mail_fields> seen(messages.size());
  std::string field, hex;
  for (std::size_t number; lines >> number >> field >> hex;)
    seen.at(number)[field] = hex == "-" ? "" : from_hex(hex);
  return seen;
}

mail_fields read_mail(const std::string& message) {
  return read_mails({message}).front();
}

std::string with_lf(std::string text) {
  for (std::size_t at = 0; (at = text.find("\r\n", at)) != text.npos;)
    text.erase(at, 1);
  return text;
}

} // namespace arauto::tests
