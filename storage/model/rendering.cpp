#include "storage/model/rendering.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>

#include "storage/model/html_place.hpp"
#include "storage/model/template_source.hpp"
#include "storage/model/variables.hpp"

namespace arauto {

namespace {

using kainjow::mustache::data;

// Lists in lists multiply; this ends it long before memory does.
constexpr std::size_t rendered_bytes_max = 2'097'152;
// What one pass through a section costs besides its text, so that empty ones cost something.
constexpr std::size_t pass_bytes = 32;

// Thrown from inside mustache, which has no other way out, and caught in render_part.
struct stopped {
  failure why;
};

class budget {
public:
  void spend(std::size_t bytes) {
    if (bytes > left_) throw stopped{{errc::bad_input, "not_renderable too_large"}};
    left_ -= bytes;
  }

private:
  std::size_t left_ = rendered_bytes_max;
};

// Finds names without ever answering "nothing": a name nobody gave stops the rendering.
class strict_context : public kainjow::mustache::basic_context<std::string> {
public:
  strict_context(const data& root, const template_source& source, budget& left)
      : source_{source}, left_{left}, open_{&root} {}

  void push(const data* inner) override { open_.push_back(inner); }
  void pop() override { open_.pop_back(); }
  const data* get_partial(const std::string&) const override { return nullptr; }

  const data* get(const std::string& name) const override {
    switch (name.front()) {
    case value_name: return printable(name.substr(1));
    case section_cost_name: return cost(name.substr(1));
    default: {
      const auto* found = find(name);
      return found->is_invalid() ? &no_ : found; // null says no
    }
    }
  }

private:
  const data* printable(const std::string& name) const {
    const auto* found = find(name);
    if (found->is_string()) return found;
    if (found->is_true()) return &true_;
    if (found->is_false()) return &false_;
    if (found->is_invalid()) return &empty_;
    throw stopped{{errc::bad_input, "not_renderable " + name}};
  }

  const data* cost(const std::string& index) const {
    std::size_t slot = 0;
    std::from_chars(index.data(), index.data() + index.size(), slot);
    left_.spend(source_.section_bytes.at(slot) + pass_bytes);
    return &empty_;
  }

  // The innermost section that knows the first segment decides; the others are looked up in it.
  const data* find(const std::string& name) const {
    if (name == ".") return open_.back();
    auto dot = name.find('.');
    const auto first = name.substr(0, dot);
    const data* found = nullptr;
    for (auto inner = open_.rbegin(); inner != open_.rend() && found == nullptr; ++inner)
      found = (*inner)->get(first);
    while (found != nullptr && dot != std::string::npos) {
      const auto begin = dot + 1;
      dot = name.find('.', begin);
      found = found->get(name.substr(begin, dot - begin));
    }
    if (found == nullptr) throw stopped{{errc::bad_input, "missing_variable " + name}};
    return found;
  }

  const template_source& source_;
  budget& left_;
  std::vector<const data*> open_;
  const data true_{"true"};
  const data false_{"false"};
  const data empty_{""};
  const data no_{false};
};

// Each character that has_control finds becomes one blank.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0;
    const auto three = text.substr(at, 3);
    const bool c1 = byte == 0xC2 && next >= 0x80 && next <= 0x9F;
    const bool separator = three == "\xE2\x80\xA8" || three == "\xE2\x80\xA9";
    const bool blank = byte < 0x20 || byte == 0x7F || c1 || separator;
    line += blank ? ' ' : text[at];
    if (c1) at += 1;
    if (separator) at += 2;
  }
  return line;
}

// As the inside of a JSON string.
std::string json_escaped(const std::string& value) {
  const auto quoted = nlohmann::json(value).dump();
  return quoted.substr(1, quoted.size() - 2);
}

std::string rendered_text(const part& p, const template_source& source, const data& variables) {
  budget left;
  strict_context context{variables, source, left};
  kainjow::mustache::mustache mustache{source.rewritten};
  mustache.set_custom_escape([&left, &p](const std::string& value) {
    auto placed = is_html(p) ? html_escaped(value) : is_json(p) ? json_escaped(value) : value;
    left.spend(placed.size());
    return placed;
  });
  auto text = mustache.render(context);
  if (is_html(p)) return with_safe_links(text);
  return is_single_line(p) ? on_one_line(text) : text;
}

result<part> render_part(const part& p, const data& variables) {
  const auto source = read_template(p);
  if (!source.problems.empty()) return failure{errc::bad_input, "not_renderable template"};
  try {
    return part{p.name, rendered_text(p, source, variables)};
  } catch (const stopped& s) {
    return s.why;
  }
}

bool is_known(channel via, const std::string& name) {
  static constexpr std::array<std::string_view, 3> email{"subject", "text", "html"};
  static constexpr std::array<std::string_view, 5> push{"title", "body", "image", "link", "data"};
  const auto is_in = [&](const auto& known) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  return via == channel::email ? is_in(email) : is_in(push);
}

std::vector<part_problem> missing_parts(channel via, const std::set<std::string>& given) {
  std::vector<part_problem> missing;
  const std::string line = via == channel::email ? "subject" : "title";
  if (given.count(line) == 0) missing.push_back({line, "is needed"});
  if (via == channel::email && given.count("text") == 0 && given.count("html") == 0)
    missing.push_back({"text", "text or html is needed"});
  return missing;
}

} // namespace

template_check check_template(channel via, const std::vector<part>& parts) {
  template_check check;
  std::set<std::string> given;
  std::set<std::string> required;
  for (const auto& p : parts) {
    if (!is_known(via, p.name)) {
      check.problems.push_back({p.name, "unknown part"});
      continue;
    }
    if (!given.insert(p.name).second) {
      check.problems.push_back({p.name, "given twice"});
      continue;
    }
    auto source = read_template(p);
    for (auto& what : source.problems)
      check.problems.push_back({p.name, std::move(what)});
    required.merge(source.required);
    // mustache reads it too: what it would refuse later must not be stored.
    const kainjow::mustache::mustache mustache{source.rewritten};
    if (!mustache.is_valid()) check.problems.push_back({p.name, mustache.error_message()});
  }
  for (auto& missing : missing_parts(via, given))
    check.problems.push_back(std::move(missing));
  check.required.assign(required.begin(), required.end());
  return check;
}

result<std::vector<part>> render(const std::vector<part>& parts, std::string_view variables) {
  const auto given = read_variables(variables);
  if (!given) return failure{errc::bad_input, "not_renderable variables"};
  std::vector<part> rendered;
  for (const auto& p : parts) {
    auto one = render_part(p, *given);
    if (!one) return one.why();
    rendered.push_back(std::move(*one));
  }
  return rendered;
}

} // namespace arauto
