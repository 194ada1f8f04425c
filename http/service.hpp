// Everything between a head that was read and an answer to be written: route, key, media type,
// resource, problem, measures. Knows no sockets, so the listener can be replaced. Thread-safe.
//
// Two steps, because a request that will be refused must not be invited to send its body.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include "http/credentials.hpp"
#include "http/request.hpp"
#include "http/routes.hpp"
#include "http/wire.hpp"

namespace arauto::http {

struct call {
  std::string id; // of the request: UUIDv7
  std::chrono::steady_clock::time_point begun;
  std::size_t route_at = 0;
  request asked;
  std::shared_ptr<void> seat; // of a large body, for as long as it may be in memory
};

std::string new_request_id();

// The media type rule alone: application/json, with no charset but utf-8.
bool is_json_type(std::string_view content_type);

// For large bodies: so many for all, so many for one tenant. Thread-safe.
class seats {
public:
  bool take(const tenant_id& by, std::size_t most, std::size_t most_of_one);
  void give_back(const tenant_id& by);

private:
  std::mutex mutex_;
  std::size_t taken_ = 0;
  std::map<tenant_id, std::size_t> by_tenant_;
};

class service {
public:
  explicit service(const means& with, const std::vector<route>& routes = all_routes());

  // A whole request that asks for a route `at_once`.
  bool answers_at_once(const head& given) const;

  // Looks at the head alone. An answer is a refusal, or the reply to OPTIONS, which needs no key;
  // none: read the body, then `run`.
  std::optional<answer> admit(const head& given, call& made);
  answer run(call& made, std::string_view body);
  // For bytes that never became a request.
  answer refused(const problem& why, call& made);

private:
  struct measures {
    std::array<prometheus::Counter*, 6> by_class{}; // by the first digit of the status
    prometheus::Histogram* seconds = nullptr;
  };

  void begin(call& made);
  std::optional<problem> objection(const head& given, call& made);
  std::optional<problem> objection_to_body(const head& given, const route& to, call& made);
  answer counted(const call& made, answer told);

  means with_;
  credentials credentials_;
  const std::vector<route>& routes_;
  std::vector<std::string_view> at_once_; // paths
  std::shared_ptr<seats> seats_;
  std::vector<measures> measures_; // by route; the last one is for what found none
};

} // namespace arauto::http
