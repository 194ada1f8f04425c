// Judges a world without trusting it: after every step what can be judged at once, at the end
// everything. It knows what was promised to clients, what the provider took, and each row as it
// was.
#pragma once

#include <map>
#include <set>
#include <string>

#include "actors/settings.hpp"
#include "tests/simulation/provider.hpp"
#include "tests/simulation/store.hpp"

namespace arauto::simulation {

class oracle {
public:
  oracle(const store& rows, const office_settings& rules) : rows_{rows}, rules_{rules} {}

  // The first thing found wrong, with the invariant's number; empty: nothing.
  std::string violation;
  void violated(const std::string& invariant, const delivery_key& key, const std::string& what);

  // -- told of -------------------------------------------------------------------

  void acknowledged(const tenant_id& tenant, const operation_id& operation, const event_id& id,
                    const std::string& meaning);
  void stop_acknowledged(const std::vector<storage::stop_view>& met, moment now);
  void opt_out_acknowledged(const store::person_key& who, moment now);
  void opted_in(const store::person_key& who) { opted_out_.erase(who); }
  void settling(const std::vector<storage::settlement>& asked);

  // -- judges ---------------------------------------------------------------------

  void after_call(std::string_view name, moment now);
  void content_begins(const node_id& by, const delivery_key& key, moment now);
  void clean_stop(const node_id& by);
  void at_the_end(const provider& journal);

private:
  void compare(const delivery_row& before, const delivery_row& after);

  const store& rows_;
  const office_settings& rules_;
  std::map<delivery_key, delivery_row> before_;
  std::map<std::pair<tenant_id, operation_id>, std::pair<event_id, std::string>> promised_;
  struct stopped {
    moment at;
    bool in_flight;
    int begun_after = 0;
  };
  std::map<delivery_key, stopped> stops_;
  std::map<store::person_key, moment> opted_out_;
  std::set<delivery_key> stale_; // settled under an old token in the call that is judged next
  std::map<delivery_key, std::set<std::int64_t>> permits_; // tokens under which an attempt began
};

} // namespace arauto::simulation
