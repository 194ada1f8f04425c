// What a reader sees of an e-mail, according to Python's parser (mail_parse.py).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace arauto::tests {

using mail_fields = std::map<std::string, std::string>;

// One entry for each message, in order.
std::vector<mail_fields> read_mails(const std::vector<std::string>& messages);
mail_fields read_mail(const std::string& message);

// Line ends as a program holds them: CRLF becomes LF.
std::string with_lf(std::string text);

// A directory of its own that is gone when the test is over.
class own_directory {
public:
  own_directory();
  ~own_directory();
  own_directory(const own_directory&) = delete;
  own_directory& operator=(const own_directory&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

std::string file_bytes(const std::string& path);

} // namespace arauto::tests
