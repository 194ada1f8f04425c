#include "storage/model/template_source.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "storage/model/html_place.hpp"
#include "storage/model/text.hpp"

namespace arauto {

namespace {

// Rendering recurses once per open section.
constexpr std::size_t section_depth_max = 16;
constexpr std::size_t problems_max = 20;
constexpr std::size_t name_bytes_max = 255;

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
         || c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

// Segments of letters, digits, _ and -, with single dots between them; or the current element.
bool is_name(std::string_view name) {
  if (name == ".") return true;
  if (name.empty() || name.size() > name_bytes_max || name.front() == '.' || name.back() == '.')
    return false;
  return name.find("..") == std::string_view::npos
         && std::all_of(name.begin(), name.end(),
                        [](char c) { return c == '.' || is_name_character(c); });
}

bool has_forbidden_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
}

struct open_section {
  std::string_view name;
  std::size_t at = 0;        // of its first tag
  std::size_t body = 0;      // of what follows this tag
  std::size_t inner = 0;     // bytes between the tags of complete sections in it
  std::size_t cost_slot = 0; // in section_bytes
  html_place place;
};

class scanner {
public:
  explicit scanner(const part& p) : text_{p.text}, html_{is_html(p)} {}

  template_source scanned() {
    std::size_t at = 0;
    while (at < text_.size() && !hopeless_) {
      const auto tag = std::min(text_.find("{{", at), text_.size());
      fixed_text(text_.substr(at, tag - at));
      at = tag < text_.size() ? past_tag(tag) : tag;
    }
    if (!hopeless_) check_end();
    if (!source_.problems.empty()) source_.rewritten.clear();
    return std::move(source_);
  }

private:
  void object(const std::string& what, std::size_t at) {
    if (source_.problems.size() < problems_max)
      source_.problems.push_back(what + " at " + std::to_string(at));
  }

  // What follows cannot be told apart any more.
  std::size_t give_up(const std::string& what, std::size_t at) {
    object(what, at);
    hopeless_ = true;
    return text_.size();
  }

  void fixed_text(std::string_view text) {
    if (!html_) {
      source_.rewritten += text;
      return;
    }
    for (const char c : text) {
      const bool was_link = place_.in_link();
      place_.pass(c);
      if (was_link && !place_.in_link()) source_.rewritten += link_ends;
      source_.rewritten += c;
      if (!was_link && place_.in_link()) source_.rewritten += link_begins;
    }
  }

  // Reads the tag that begins at `at`; the answer is where the text goes on.
  std::size_t past_tag(std::size_t at) {
    const auto begin = at + 2;
    if (begin < text_.size() && text_[begin] == '{') return give_up("{{{ is not allowed", at);
    const auto end = text_.find("}}", begin);
    if (end == std::string_view::npos) return give_up("unclosed tag", at);
    const auto next = end + 2;
    const auto inside = trimmed(text_.substr(begin, end - begin));
    const char kind = inside.empty() ? '\0' : inside.front();
    const auto name = trimmed(inside.substr(std::min<std::size_t>(1, inside.size())));
    switch (kind) {
    case '!': break;
    case '=': return give_up("{{= is not allowed", at);
    case '&': object("{{& is not allowed", at); break;
    case '>': object("{{> is not allowed", at); break;
    case '#':
    case '^': return begin_section(kind, name, at, next);
    case '/': return end_section(name, at, next);
    default: value(inside, at);
    }
    return next;
  }

  bool is_usable(std::string_view name, std::size_t at) {
    if (!is_name(name)) {
      object("a name holds letters, digits, _ and -, with dots between", at);
      return false;
    }
    if (!open_.empty()) return true;
    if (name == ".") {
      object("{{.}} needs a section around it", at);
      return false;
    }
    source_.required.insert(std::string{name.substr(0, name.find('.'))});
    return true;
  }

  void value(std::string_view name, std::size_t at) {
    if (!is_usable(name, at)) return;
    if (html_) {
      if (const auto why = place_.objection_to_value(); !why.empty())
        return object(std::string{why}, at);
      if (place_.in_link() && !place_.scheme_is_settled()) source_.rewritten += value_in_scheme;
    }
    write_tag({&value_name, 1}, name);
  }

  std::size_t begin_section(char kind, std::string_view name, std::size_t at, std::size_t next) {
    if (open_.size() >= section_depth_max) return give_up("too many sections in each other", at);
    is_usable(name, at); // when not, it is said already, and the section is read all the same
    if (html_ && !place_.admits_section())
      object("an attribute with a section in it needs quotes", at);
    const auto slot = source_.section_bytes.size();
    source_.section_bytes.push_back(0);
    open_.push_back({name, at, next, 0, slot, place_});
    write_tag({&kind, 1}, name);
    write_tag({&section_cost_name, 1}, std::to_string(slot));
    return next;
  }

  std::size_t end_section(std::string_view name, std::size_t at, std::size_t next) {
    if (open_.empty()) return give_up("unopened section", at);
    const auto section = open_.back();
    if (section.name != name) return give_up("unclosed section", section.at);
    open_.pop_back();
    const auto body = at - section.body;
    source_.section_bytes[section.cost_slot] = body - section.inner;
    if (!open_.empty()) open_.back().inner += body;
    if (html_ && !place_.same_as(section.place))
      object("a section ends in another place of the HTML than it begins in", at);
    place_ = section.place; // also whether a scheme is settled: the section may never appear
    write_tag("/", name);
    return next;
  }

  void write_tag(std::string_view kind, std::string_view name) {
    for (const auto piece : {std::string_view{"{{"}, kind, name, std::string_view{"}}"}})
      source_.rewritten += piece;
  }

  void check_end() {
    if (!open_.empty())
      object("unclosed section", open_.back().at);
    else if (html_ && !place_.in_text())
      object("unclosed tag, comment or element", text_.size());
  }

  std::string_view text_;
  bool html_;
  bool hopeless_ = false;
  html_place place_;
  std::vector<open_section> open_;
  template_source source_;
};

template_source refused(const char* what) {
  template_source source;
  source.problems.emplace_back(what);
  return source;
}

} // namespace

bool is_html(const part& p) {
  return p.name == "html";
}

bool is_json(const part& p) {
  return p.name == "data";
}

bool is_single_line(const part& p) {
  return p.name == "subject" || p.name == "title" || p.name == "image" || p.name == "link";
}

template_source read_template(const part& p) {
  if (p.text.size() > part_bytes_max) return refused("larger than 262144 bytes");
  if (!is_utf8(p.text)) return refused("not valid UTF-8");
  if (is_single_line(p) && has_control(p.text))
    return refused("must be one line without control characters");
  if (has_forbidden_control(p.text)) return refused("control characters are not allowed");
  return scanner{p}.scanned();
}

} // namespace arauto
