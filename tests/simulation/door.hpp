// Where the product's keeper meets the simulated store: storage_stand_in.cpp is linked in the place
// of arauto_storage and asks the world that runs now.
#pragma once

#include <cstdint>
#include <string_view>

#include "storage/log.hpp"
#include "storage/session.hpp"
#include "tests/simulation/store.hpp"

namespace arauto::simulation {

// What becomes of one call of the storage floor.
enum class fate : std::uint8_t {
  done,
  away,               // nothing happened
  busy,               // a lock was not given; nothing happened
  in_doubt_done,      // the COMMIT's answer was lost, the COMMIT was not
  in_doubt_undone,    // the COMMIT was lost
  crash,              // the keeper throws before it asked
  crash_after_commit, // and after it was done
};

class door {
public:
  virtual ~door() = default;
  virtual fate of_call(int node, std::string_view name) = 0;
  virtual store& rows() = 0;
  // Whether somebody else has the row locked at this moment.
  virtual bool row_held(const delivery_key& key) = 0;
  // Judged after every call that changed something.
  virtual void settling(const std::vector<storage::settlement>& asked) = 0;
  virtual void changed(int node, std::string_view name) = 0;
  virtual void logged(std::string_view event, std::initializer_list<log::field> fields) = 0;
};

// The world that runs in this thread.
door*& open_door();

} // namespace arauto::simulation
