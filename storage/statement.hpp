// A statement lives in its own file, storage/sql/<name>.sql. Its name is the prepared statement,
// the metric label and the log word.
#pragma once

namespace arauto::storage {

struct statement {
  const char* name;
  const char* text;
};

// A numbered step of the schema; forward only.
struct migration {
  int number;
  const char* name;
  const char* text;
};

} // namespace arauto::storage
