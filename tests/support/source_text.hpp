// A C++ text taken apart as far as the rules of the house need it: what is code, and what stands in
// string literals.
#pragma once

#include <string>
#include <vector>

namespace arauto::tests {

struct source_text {
  explicit source_text(const std::string& text);

  std::string code;                  // comments gone, literals empty
  std::vector<std::string> literals; // neighbours that the compiler joins are one
};

} // namespace arauto::tests
