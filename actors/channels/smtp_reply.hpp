// Reads SMTP replies (RFC 5321 4.2) from bytes as they come: split, multi-line, wordless or wrong.
// Memory is bounded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace arauto::channels {

struct smtp_reply {
  int code = 0;         // 200-599
  std::string enhanced; // RFC 3463, "5.1.1"; empty when there was none of the reply's own class
  std::string text;     // without codes and hyphens, enhanced code kept; lines joined by newlines

  int kind() const { return code / 100; }
  bool is(std::string_view enhanced_code) const { return enhanced == enhanced_code; }
};

class smtp_reply_reader {
public:
  static constexpr std::size_t line_bytes_max = 2'048;
  static constexpr std::size_t reply_bytes_max = 65'536;

  enum class found { nothing_yet, reply, nonsense };

  void take(std::string_view bytes);

  // The next whole reply. After nonsense the reader stays useless: the two sides no longer
  // understand each other.
  found next(smtp_reply& into);

  // Bytes beyond the replies read so far: before it is the peer's turn they are a sign of confusion
  // or of an attack.
  bool holds_more() const { return read_ < bytes_.size() || begun_; }

private:
  bool add_line(std::string_view line);
  bool line_is_overlong() const { return bytes_.size() - read_ > line_bytes_max; }

  std::string bytes_;
  std::size_t read_ = 0;
  smtp_reply growing_; // the lines so far of a reply of several
  bool begun_ = false;
  bool last_ = false;
  bool broken_ = false;
};

} // namespace arauto::channels
