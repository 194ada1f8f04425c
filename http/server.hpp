// The door to tenants: one listener, a set of workers, an orderly end. Bytes are read and judged
// by ours alone: httplib 0.11.4 may not be let near the network (http/README.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "http/settings.hpp"
#include "storage/model/errc.hpp"

namespace prometheus {
class Registry;
}

namespace arauto {

class office;
namespace storage {
class pool;
class seal_ring;
} // namespace storage

namespace http {

// How many connections, of those wanted, so many descriptors allow; unavailable: too few to serve.
result<std::size_t> connections_within(std::size_t descriptors, std::size_t wanted);

class server {
public:
  server(http_settings settings, storage::pool& sessions, office& staff,
         prometheus::Registry& metrics, const storage::seal_ring& seals);
  ~server(); // stops, with no patience
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  // unavailable: the address or descriptors cannot be had; bad_input: the certificate or its key
  // cannot be used.
  result<done> start();
  int port() const;

  // Reads the files again. New connections get the new certificate; files that cannot be used
  // leave the old one where it is. The log says which. By any thread.
  void reload_certificate();

  // No new request is begun; returns when those that had begun are answered. After `limit` nobody
  // waits for a peer any more: only what workers have in their hands is brought to its end.
  void stop(std::chrono::milliseconds limit);

private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

} // namespace http
} // namespace arauto
