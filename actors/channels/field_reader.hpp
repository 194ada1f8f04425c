// Reads the fields of a JSON object one by one, keeps what it accepted and notes what it did not. A
// member nobody asked for is a fault. Used by the account forms.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "actors/channels/account.hpp"

namespace arauto::channels {

class field_reader {
public:
  // `of` need not be an object; `faults` outlives the reader.
  field_reader(const nlohmann::json& of, std::string pointer, std::vector<account_fault>& faults);

  enum class need : std::uint8_t { must, may };

  // One line of UTF-8 without controls; empty when absent or refused.
  std::string line(const std::string& name, need wanted, std::size_t bytes_max = 255);
  std::string lines(const std::string& name, need wanted); // of a PEM file
  std::string word(const std::string& name, std::initializer_list<std::string_view> of,
                   std::string_view otherwise);
  std::int64_t number(const std::string& name, std::int64_t least, std::int64_t most,
                      std::int64_t otherwise);
  bool flag(const std::string& name, bool otherwise);
  // http or https, host and perhaps path; without a slash at its end.
  std::string address(const std::string& name, need wanted);
  // The member itself, for a reader of its own; null when absent.
  const nlohmann::json& member(const std::string& name);

  void pass_over(const std::string& name) { asked_.insert(name); } // may be there, is not kept
  void object(const std::string& name, const std::string& what);
  void keep(const std::string& name, nlohmann::json value) { kept_[name] = std::move(value); }

  nlohmann::json end(); // what was accepted; members nobody asked for are faults from here on

private:
  const nlohmann::json* found(const std::string& name, need wanted);

  nlohmann::json of_;
  std::string pointer_;
  std::vector<account_fault>& faults_;
  std::set<std::string> asked_;
  nlohmann::json kept_ = nlohmann::json::object();
};

} // namespace arauto::channels
