// The door to tenants: one listener, a set of workers, an orderly end. Bytes are read and judged
// by ours alone: httplib 0.11.4 may not be let near the network (http/README.md).
#pragma once

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
}

namespace http {

class server {
public:
  server(http_settings settings, storage::pool& sessions, office& staff,
         prometheus::Registry& metrics);
  ~server(); // stops
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  // unavailable: the address cannot be had; bad_input: the certificate or its key cannot be used.
  result<done> start();
  int port() const;

  // Reads the files again. New connections get the new certificate; files that cannot be used
  // leave the old one where it is. The log says which. By any thread.
  void reload_certificate();

  // No new request is begun; returns when those that had begun are answered.
  void stop();

private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

} // namespace http
} // namespace arauto
