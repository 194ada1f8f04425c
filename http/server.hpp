// The door to tenants: listens, gives each connection a thread, stops in order. httplib owns the
// listening socket and the loop that accepts; bytes are read by http/connection.hpp, because
// httplib 0.11.4 may not be let near the network (http/README.md).
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

  result<done> start(); // unavailable: the address cannot be had
  int port() const;

  // No new request is begun; returns when those that had begun are answered.
  void stop();

private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

} // namespace http
} // namespace arauto
