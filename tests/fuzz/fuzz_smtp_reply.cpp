// Replies of SMTP servers. However packets cut them, the same replies are read, and what is kept of
// them is bounded.
#include <string>
#include <vector>

#include "actors/channels/smtp_reply.hpp"
#include "tests/fuzz/must.hpp"

namespace {

using arauto::channels::smtp_reply;
using arauto::channels::smtp_reply_reader;
using found = smtp_reply_reader::found;

struct reading {
  std::vector<smtp_reply> replies;
  bool nonsense = false;
};

void read_what_is_there(smtp_reply_reader& reader, reading& into) {
  for (smtp_reply reply; !into.nonsense;) {
    const auto now = reader.next(reply);
    if (now == found::nothing_yet) return;
    into.nonsense = now == found::nonsense;
    if (into.nonsense) return;
    MUST(reply.code >= 200 && reply.code <= 599);
    MUST(reply.text.size() <= smtp_reply_reader::reply_bytes_max);
    MUST(reply.enhanced.empty() || reply.enhanced[0] - '0' == reply.kind());
    into.replies.push_back(reply);
  }
}

reading in_pieces_of(std::size_t length, std::string_view bytes) {
  smtp_reply_reader reader;
  reading whole;
  for (std::size_t at = 0; at < bytes.size() && !whole.nonsense; at += length) {
    reader.take(bytes.substr(at, length));
    read_what_is_there(reader, whole);
  }
  return whole;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  const auto at_once = in_pieces_of(bytes.size(), bytes);
  const auto cut = in_pieces_of(1 + data[0] % 64, bytes);
  MUST(at_once.nonsense == cut.nonsense);
  MUST(at_once.replies.size() == cut.replies.size());
  for (std::size_t i = 0; i < cut.replies.size(); ++i) {
    MUST(at_once.replies[i].code == cut.replies[i].code);
    MUST(at_once.replies[i].text == cut.replies[i].text);
    MUST(at_once.replies[i].enhanced == cut.replies[i].enhanced);
  }
  return 0;
}
