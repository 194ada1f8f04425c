// Mail servers written by others, started for one test and gone with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/certificate.hpp"

namespace arauto::tests {

// A program of its own that ends with this object, or with the test's process.
class own_program {
public:
  explicit own_program(const std::vector<std::string>& words);
  ~own_program();
  own_program(const own_program&) = delete;
  own_program& operator=(const own_program&) = delete;

  std::string first_line() const; // of its standard output; waits for it

private:
  pid_t process_ = -1;
  int output_ = -1;
  int input_ = -1;
};

// Postfix's test server; takes everything unless told otherwise. Its options are smtp-sink's own.
class smtp_sink {
public:
  explicit smtp_sink(const std::vector<std::string>& options = {});
  std::uint16_t port() const { return port_; }

private:
  std::uint16_t port_;
  own_program program_;
};

// Demands STARTTLS and the password "sesame" of the user "ana"; keeps messages as N.eml.
class aiosmtpd_peer {
public:
  aiosmtpd_peer(const std::string& directory, const certificate& papers);
  std::uint16_t port() const { return port_; }

private:
  own_program program_;
  std::uint16_t port_;
};

} // namespace arauto::tests
