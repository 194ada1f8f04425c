// What a fuzz program promises of its reader: a broken one ends it, and libFuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

#define MUST(what)                                                                                 \
  do {                                                                                             \
    if (!(what)) {                                                                                 \
      std::fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #what);                      \
      std::abort();                                                                                \
    }                                                                                              \
  } while (false)
