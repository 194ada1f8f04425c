// A conversation, whole and cut into pieces. However the bytes come, the same requests are seen in
// the same order, each where it stands among the bytes; after a refusal nothing is a request; what
// is held is bounded, and a request's deadline never moves. Byte 1 says how it is cut, byte 2 where
// a stop comes (0: never); the rest is what the peer says.
#include <algorithm>
#include <string>
#include <vector>

#include "http/connection.hpp"
#include "tests/fuzz/must.hpp"

namespace {

using namespace arauto;
using namespace arauto::http;
using instant = connection::clock::time_point;
using std::chrono::milliseconds;

// Small, so that short inputs reach every bound.
http_settings narrow() {
  http_settings door;
  door.head_bytes_max = 512;
  door.line_bytes_max = 128;
  door.headers_max = 8;
  door.path_bytes_max = 48;
  door.body_bytes_max = 256;
  return door;
}

constexpr std::size_t piece_max = 300;

struct heard {
  std::vector<std::string> requests; // and last the refusal's code, if there was one
  bool turned_away = false;          // by its head, so that what follows was never looked at
  bool stopped = false;
};

class listening {
public:
  listening(std::string_view all, std::size_t cut, std::size_t stop_after)
      : all_{all}, cut_{cut}, stop_after_{stop_after}, talk_{settings_, now_} {}

  heard to_the_end() {
    for (std::size_t pieces = 0;; ++pieces) {
      while (talk_.next() == step::admit || talk_.next() == step::serve)
        answer();
      MUST(talk_.bytes_held() <= 512 + 128 + 256 + piece_max);
      if (talk_.next() == step::refuse) {
        said_.requests.emplace_back(kind_of(talk_.why().code).word);
        return said_;
      }
      if (talk_.next() == step::close) return said_;
      if (stop_after_ != 0 && pieces == stop_after_) {
        said_.stopped = true;
        talk_.stop();
        continue;
      }
      if (at_ == all_.size()) break;
      take(next_piece());
    }
    talk_.late();
    MUST(talk_.next() == step::refuse || talk_.next() == step::close);
    return said_;
  }

private:
  std::size_t next_piece() {
    if (cut_ == 0) return piece_max;
    if (cut_ < 8) return cut_;
    chance_ = chance_ * 1'103'515'245 + cut_;
    return 1 + (chance_ >> 16) % (cut_ < 128 ? 8 : 64);
  }

  void take(std::size_t bytes) {
    const auto piece = all_.substr(at_, bytes);
    const bool had_begun = talk_.bytes_held() > 1; // 1: perhaps half of an empty line
    const auto deadline = talk_.deadline();
    now_ += milliseconds{7};
    talk_.take(piece, now_);
    at_ += piece.size();
    if (had_begun && talk_.next() == step::read) MUST(talk_.deadline() == deadline);
  }

  void answer() {
    const bool whole = talk_.next() == step::serve;
    const auto& given = talk_.given();
    const bool unwelcome = given.path.substr(0, 3) == "/no";
    MUST(!talk_.invites() || given.expects_continue);
    if (!whole && !unwelcome) {
      MUST(talk_.body().size() < given.content_length);
      talk_.admitted();
      MUST(talk_.next() == step::read);
      return;
    }
    if (whole) find_in_the_bytes();
    said_.requests.push_back(std::string{given.method} + " " + std::string{given.path});
    said_.turned_away = !whole;
    const bool keep = whole && given.keep_alive;
    talk_.answered(keep, now_);
    if (!keep) MUST(talk_.next() == step::close);
    if (said_.stopped) MUST(++after_stop_ == 1);
    if (said_.stopped && talk_.next() == step::read) talk_.stop(); // as the visitor does
    if (said_.stopped && talk_.next() == step::serve) talk_.answered(false, now_);
    if (said_.stopped && talk_.next() == step::admit) talk_.answered(false, now_);
  }

  // By other means than the connection's own.
  void find_in_the_bytes() {
    while (all_.substr(place_, 2) == "\r\n")
      place_ += 2;
    const auto& given = talk_.given();
    const auto end = all_.find("\r\n\r\n", place_);
    MUST(end != std::string_view::npos);
    MUST(all_.substr(place_, given.method.size()) == given.method);
    const auto path = all_.substr(place_, end - place_).find(given.path);
    MUST(given.path == "/" || path != std::string_view::npos);
    MUST(talk_.body().size() == given.content_length);
    MUST(talk_.body() == all_.substr(end + 4, given.content_length));
    place_ = end + 4 + given.content_length;
  }

  const http_settings settings_ = narrow();
  std::string_view all_;
  std::size_t cut_, stop_after_;
  instant now_{};
  connection talk_;
  std::size_t at_ = 0, place_ = 0, chance_ = 1;
  int after_stop_ = 0;
  heard said_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view all{reinterpret_cast<const char*>(data) + 2, size - 2};
  const auto whole = listening{all, 0, 0}.to_the_end();
  const auto cut = listening{all, data[0], 0}.to_the_end();
  const auto common = std::min(whole.requests.size(), cut.requests.size());
  if (!whole.turned_away) MUST(cut.requests.size() == common || !cut.turned_away);
  if (!cut.turned_away && !whole.turned_away) MUST(whole.requests == cut.requests);
  MUST(std::equal(cut.requests.begin(), cut.requests.begin() + static_cast<long>(common),
                  whole.requests.begin()));
  if (data[1] != 0) (void)listening{all, data[0], data[1]}.to_the_end();
  return 0;
}
