#include "storage/model/variables.hpp"

#include <string>
#include <utility>
#include <vector>

#include "storage/model/json.hpp"

namespace arauto {

namespace {

using kainjow::mustache::data;
using nlohmann::json;

// One open object or array.
struct level {
  bool is_list = false;
  std::string member;
  kainjow::mustache::object members;
  kainjow::mustache::list elements;
};

class variables_reader : public nlohmann::json_sax<json> {
public:
  data root{data::type::invalid};

  bool null() override { return place(data::type::invalid); }
  bool boolean(bool value) override { return place(value); }
  // Only numbers with a minus come here, so a zero was written as -0.
  bool number_integer(number_integer_t value) override {
    return place(value == 0 ? std::string{"-0"} : std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override { return place(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& written) override { return place(written); }
  bool string(string_t& value) override { return place(value); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    levels_.back().member = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

private:
  bool place(data value) {
    if (levels_.empty()) {
      root = std::move(value);
      return true;
    }
    auto& here = levels_.back();
    if (here.is_list)
      here.elements.push_back(std::move(value));
    else
      here.members[here.member] = std::move(value);
    return true;
  }

  bool open(bool is_list) {
    if (levels_.size() >= json_limits{}.depth_max) return false;
    levels_.emplace_back();
    levels_.back().is_list = is_list;
    return true;
  }

  bool close() {
    const auto done = std::move(levels_.back());
    levels_.pop_back();
    return place(done.is_list ? data{done.elements} : data{done.members});
  }

  std::vector<level> levels_;
};

} // namespace

std::optional<data> read_variables(std::string_view text) {
  variables_reader reader;
  if (!json::sax_parse(text.begin(), text.end(), &reader)) return std::nullopt;
  if (!reader.root.is_object()) return std::nullopt;
  return std::move(reader.root);
}

} // namespace arauto
