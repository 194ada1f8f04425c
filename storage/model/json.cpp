#include "storage/model/json.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace arauto {

namespace {

using nlohmann::json;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t number_characters_max = 64;
constexpr std::size_t exponent_digits_max = 3;

// One open object or array.
struct level {
  bool is_array = false;
  std::size_t begun = 0; // elements of an array so far, with the one being read
  std::string member;    // of an object: the one being read
  // Of an object inside variables: all so far (ordered, so no chosen name is slow).
  std::set<std::string> members;
  json* node = nullptr; // none inside variables, where only text is kept
};

std::string escaped_for_pointer(const std::string& member) {
  std::string escaped;
  for (const char c : member) {
    if (c == '~')
      escaped += "~0";
    else if (c == '/')
      escaped += "~1";
    else
      escaped += c;
  }
  return escaped;
}

void append_quoted(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (static_cast<unsigned char>(c) < 0x20)
      ((out += "\\u00") += hex[c >> 4]) += hex[c & 0x0f];
    else
      out += c;
  }
  out += '"';
}

// Numbers go on to PostgreSQL's numeric, which has room for these and not for 1e999999.
bool is_keepable(const std::string& number) {
  if (number.size() > number_characters_max) return false;
  const auto e = number.find_first_of("eE");
  if (e == std::string::npos) return true;
  const auto significant = number.find_first_not_of("+-0", e + 1);
  return significant == std::string::npos || number.size() - significant <= exponent_digits_max;
}

// Builds the document while it is read, so that nothing is ever deeper or larger than allowed.
class strict_reader : public nlohmann::json_sax<json> {
public:
  explicit strict_reader(const json_limits& limits) : limits_{limits} {}

  json_document finished(bool good) {
    document_.good = good;
    if (!good) document_.root = nullptr;
    return std::move(document_);
  }

  bool null() override { return scalar(nullptr, "null"); }

  bool boolean(bool value) override { return scalar(value, value ? "true" : "false"); }

  // Only numbers with a minus come here, so a zero was written as -0.
  bool number_integer(number_integer_t value) override {
    return scalar(value, value == 0 ? "-0" : std::to_string(value));
  }

  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto most = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    if (!in_variables() && value > most) return refused_number("must fit 64 bits");
    return scalar(value, std::to_string(value));
  }

  // Also integers past 64 bits.
  bool number_float(number_float_t, const string_t& written) override {
    if (!in_variables()) return refused_number("must be an integer that fits 64 bits");
    if (!is_keepable(written)) return refused_number("number has too many digits");
    return scalar(nullptr, written);
  }

  bool string(string_t& value) override {
    if (!begin_value()) return false;
    if (value.find('\0') != std::string::npos) return fail("U+0000 is not allowed");
    if (!in_variables()) {
      place(std::move(value));
      return true;
    }
    if (!is_cut_) append_quoted(verbatim_, value);
    return value_ended();
  }

  bool binary(binary_t&) override { return fail("not valid JSON"); }

  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close('}'); }
  bool end_array() override { return close(']'); }

  bool key(string_t& name) override {
    auto& here = levels_.back();
    here.member = std::move(name);
    if (here.member.find('\0') != std::string::npos) {
      here.member.clear(); // a pointer cannot name it
      return fail("U+0000 is not allowed in a member name");
    }
    if (in_variables()) {
      if (is_cut_) return true; // refused in any case, so its names need not be held
      if (!here.members.insert(here.member).second) return fail("member is given twice");
      if (here.members.size() > 1) verbatim_ += ',';
      append_quoted(verbatim_, here.member);
      verbatim_ += ':';
      cut();
      return true;
    }
    if (here.node->contains(here.member)) return fail("member is given twice");
    const bool of_a_notification =
        levels_.size() == 1 || levels_.size() == 3; // alone, or in a batch
    if (here.member == "variables" && of_a_notification) variables_at_ = levels_.size();
    return true;
  }

  // The parser's own text quotes the input, so it is not passed on.
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& why) override {
    constexpr int number_overflow = 406;
    if (why.id == number_overflow) return refused_number("number is too large");
    document_.problem = {{}, "not valid JSON at byte " + std::to_string(position)};
    return false;
  }

private:
  bool in_variables() const { return variables_at_.has_value(); }

  std::string pointer() const {
    std::string path;
    for (const auto& l : levels_)
      path += '/' + (l.is_array ? std::to_string(l.begun - 1) : escaped_for_pointer(l.member));
    return path;
  }

  bool fail(const std::string& what) {
    document_.problem = {pointer(), what};
    return false;
  }

  bool refused_number(const std::string& what) { return begin_value() && fail(what); }

  // What is too large is read on, for what stands behind it, but no more of it is held.
  void cut() {
    const auto most = limits_.variables_bytes_max;
    if (verbatim_.size() <= most) return;
    verbatim_.resize(most + 1);
    if (std::exchange(is_cut_, true)) return;
    verbatim_ = verbatim_.front() + std::string(most, ' ');
    for (auto inner = *variables_at_; inner < levels_.size(); ++inner)
      levels_[inner].members.clear();
  }

  bool begin_value() {
    if (!levels_.empty() && levels_.back().is_array) {
      const bool first = ++levels_.back().begun == 1;
      if (in_variables() && !first) verbatim_ += ',';
    }
    if (in_variables() || ++values_ <= limits_.values_max) return true;
    return fail("more than " + std::to_string(limits_.values_max) + " values");
  }

  bool scalar(json value, const std::string& written) {
    if (!begin_value()) return false;
    if (!in_variables()) {
      place(std::move(value));
      return true;
    }
    verbatim_ += written;
    return value_ended();
  }

  json* place(json value) {
    if (levels_.empty()) {
      document_.root = std::move(value);
      return &document_.root;
    }
    auto& here = levels_.back();
    if (here.is_array) {
      here.node->push_back(std::move(value));
      return &here.node->back();
    }
    auto& member = (*here.node)[here.member];
    member = std::move(value);
    return &member;
  }

  bool open(bool is_array) {
    if (!begin_value()) return false;
    if (levels_.size() >= limits_.depth_max)
      return fail("deeper than " + std::to_string(limits_.depth_max) + " levels");
    level inner;
    inner.is_array = is_array;
    if (in_variables())
      verbatim_ += is_array ? '[' : '{';
    else
      inner.node = place(is_array ? json::array() : json::object());
    levels_.push_back(std::move(inner));
    return true;
  }

  bool close(char bracket) {
    levels_.pop_back();
    if (!in_variables()) return true;
    verbatim_ += bracket;
    return value_ended();
  }

  // Inside variables: when the value of the member itself is complete, its text becomes its value.
  bool value_ended() {
    cut();
    if (levels_.size() > *variables_at_) return true;
    variables_at_.reset();
    is_cut_ = false;
    place(std::exchange(verbatim_, {}));
    return true;
  }

  json_limits limits_;
  json_document document_;
  std::vector<level> levels_;
  std::optional<std::size_t> variables_at_; // open levels when the member began
  std::string verbatim_;
  bool is_cut_ = false;    // verbatim_ is not the whole
  std::size_t values_ = 0; // outside variables
};

json_document refused(const char* what) {
  json_document document;
  document.problem = {{}, what};
  return document;
}

} // namespace

json_document parse_json(std::string_view text, const json_limits& limits) {
  // The parser would skip the first and take the second for the end of the text.
  if (text.substr(0, byte_order_mark.size()) == byte_order_mark)
    return refused("a byte order mark is not allowed");
  if (text.find('\0') != std::string_view::npos) return refused("a NUL byte is not allowed");
  strict_reader reader{limits};
  const bool good = json::sax_parse(text.begin(), text.end(), &reader);
  return reader.finished(good);
}

} // namespace arauto
