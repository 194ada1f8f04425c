#include "tests/support/crossing.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace arauto::tests {

altered::altered(const storage::statement& whole, const std::string& guard, const std::string& by)
    : name_{std::string{whole.name} + "_altered"}, text_{whole.text} {
  and_also(guard, by);
}

altered& altered::and_also(const std::string& guard, const std::string& by) {
  const auto at = text_.find(guard);
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, name_ << " does not say: " << guard);
  BOOST_REQUIRE_MESSAGE(text_.find(guard, at + 1) == std::string::npos,
                        name_ << " says more than once: " << guard);
  text_.replace(at, guard.size(), by);
  return *this;
}

void crossing::opened::hold(const event_id& id) {
  work.exec("select 1 from arauto.delivery where event_id = '" + id.text + "' for update");
}

void crossing::until_waiting(int sessions) {
  pqxx::connection connection{url};
  pqxx::nontransaction watching{connection};
  const auto* waiting = "select count(*) from pg_stat_activity"
                        " where wait_event_type = 'Lock' and datname = current_database()";
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (watching.exec(waiting)[0][0].as<int>() < sessions) {
    if (std::chrono::steady_clock::now() > give_up)
      throw std::runtime_error{"nobody came to wait for a lock"};
    std::this_thread::yield();
  }
}

storage::database_settings crossing::patient() const {
  auto made = settings();
  made.statement_timeout = made.lock_timeout = made.row_patience = std::chrono::minutes{2};
  made.silence_timeout = std::chrono::minutes{3};
  return made;
}

std::string keys_of(const std::vector<storage::lease>& leases) {
  auto items = nlohmann::json::array();
  for (const auto& one : leases)
    items.push_back({{"n", items.size()},
                     {"event_id", one.key.event.text},
                     {"channel", spelled(one.key.via)},
                     {"tenant_id", one.tenant.text},
                     {"lease_token", one.held.number}});
  return items.dump();
}

std::string crossing::permits(storage::session& asker, const storage::statement& how,
                              const std::vector<storage::lease>& asked) {
  auto answered =
      asker.in_transaction(storage::reach::owner(), [&](storage::session::transaction& t) {
        std::vector<std::string> came_to(asked.size(), "lost");
        for (const auto& row : t.run(how, keys_of(asked), lease_length.count()))
          came_to.at(row["n"].as<std::size_t>()) = row["state"].c_str();
        return came_to;
      });
  if (!answered) return "failed: " + answered.why().text;
  std::string words;
  for (const auto& word : *answered)
    words += (words.empty() ? "" : " ") + word;
  return words;
}

std::string crossing::cancels(storage::session& asker, const storage::statement& how,
                              const event_id& id) {
  auto answered =
      asker.in_transaction(storage::reach::owner(), [&](storage::session::transaction& t) {
        std::string words;
        for (const auto& row : t.run(how, acme.text, id.text, "cancelled"))
          words += (words.empty() ? "" : " ") + std::string{row["channel"].c_str()} + ":"
                   + row["came_to"].c_str();
        return words;
      });
  return answered ? *answered : "failed: " + answered.why().text;
}

storage::lease crossing::claim_by(channel via) {
  auto leases = storage::claim(db, {{acme, via, 1, 1}}, node, lease_length);
  BOOST_REQUIRE_MESSAGE(leases && leases->size() == 1, "nothing to claim");
  return leases->at(0);
}

storage::lease crossing::lost_in_flight(const std::string& operation) {
  accepted_event(operation);
  const auto held = claim_one();
  permit_one(held);
  let_expire(held);
  reap_all({doubt_rule::resend, std::chrono::milliseconds{0}, 1});
  return held;
}

} // namespace arauto::tests
