// What an account at each provider is made of, and the port it opens. The same words are used by
// the operators' API, the command line and arauto.toml (README.md has the list).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "actors/channels/port.hpp"
#include "storage/model/errc.hpp"
#include "storage/model/provider.hpp"

namespace arauto::channels {

struct account_fault {
  std::string pointer; // JSON pointer into what was given
  std::string what;    // for people; never quotes a secret
};

struct account_form {
  nlohmann::json open = nlohmann::json::object();   // may be shown
  nlohmann::json secret = nlohmann::json::object(); // may not
};

struct account_reading {
  account_form form;
  std::vector<account_fault> faults; // empty: it can be used
};

// Judges every field (unknown ones too), and tells what may be shown from what may not.
account_reading read_account(provider via, const nlohmann::json& given);

// What a port needs besides the account. Thread: `now` and `random` may be called from any.
struct port_means {
  std::function<std::chrono::system_clock::time_point()> now;
  std::function<std::string(std::size_t)> random_bytes;
  std::string ca_file;         // certificates to trust instead of the system's; empty: the system's
  std::size_t sends_max = 100; // open requests of one HTTP account
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds answer_timeout{20'000}; // after it was sent; then in doubt
  bool private_endpoints = false; // test benches: Web Push endpoints on addresses of our own
};

// bad_input: the form does not hold (as read_account would say).
result<std::unique_ptr<port>> open_port(provider via, const account_form& form,
                                        const port_means& means);

// Asks the provider whether it would take us, without telling anybody anything; blocks for at most
// connect_timeout + answer_timeout. The words are for people and hold no secret.
struct account_check {
  bool good = false;
  std::string words;
};
account_check check_account(provider via, const account_form& form, const port_means& means);

} // namespace arauto::channels
