#include "actors/channels/smtp_reply.hpp"

#include <utility>

namespace arauto::channels {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "5.1.1" at the start of a line, alone or before a blank, and of the same class as the reply.
std::string_view enhanced_code(std::string_view text, int kind) {
  const auto end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  int dots = 0, digits = 0;
  for (const auto c : word) {
    if (is_digit(c) && digits < 3) {
      ++digits;
    } else if (c == '.' && digits > 0) {
      ++dots;
      digits = 0;
    } else {
      return {};
    }
  }
  return dots == 2 && digits > 0 && word[0] == '0' + kind && word[1] == '.' ? word
                                                                            : std::string_view{};
}

} // namespace

void smtp_reply_reader::take(std::string_view bytes) {
  if (read_ == bytes_.size()) {
    bytes_.clear();
    read_ = 0;
  }
  bytes_.append(bytes);
}

smtp_reply_reader::found smtp_reply_reader::next(smtp_reply& into) {
  while (!broken_) {
    const auto end = bytes_.find('\n', read_);
    if (end == bytes_.npos) {
      broken_ = line_is_overlong();
      break;
    }
    auto line = std::string_view{bytes_}.substr(read_, end - read_);
    if (line.size() > line_bytes_max) {
      broken_ = true;
      break;
    }
    read_ = end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!add_line(line)) {
      broken_ = true;
    } else if (last_) {
      begun_ = last_ = false;
      into = std::exchange(growing_, {});
      return found::reply;
    }
  }
  return broken_ ? found::nonsense : found::nothing_yet;
}

bool smtp_reply_reader::add_line(std::string_view line) {
  if (line.size() < 3 || !is_digit(line[0]) || !is_digit(line[1]) || !is_digit(line[2]))
    return false;
  const auto code = (line[0] - '0') * 100 + (line[1] - '0') * 10 + (line[2] - '0');
  if (code < 200 || code > 599 || (begun_ && code != growing_.code)) return false;
  const auto mark = line.size() == 3 ? ' ' : line[3];
  if (mark != ' ' && mark != '-') return false;
  const auto text = line.size() > 4 ? line.substr(4) : std::string_view{};

  growing_.code = code;
  if (growing_.enhanced.empty()) growing_.enhanced = enhanced_code(text, code / 100);
  if (begun_) growing_.text += '\n';
  growing_.text += text;
  begun_ = true;
  last_ = mark == ' ';
  return growing_.text.size() <= reply_bytes_max;
}

} // namespace arauto::channels
