// Templates: immutable versions; a delivery is pinned to the version that stood when it was
// accepted.
#pragma once

#include <string>
#include <vector>

#include "storage/model/doubt.hpp"
#include "storage/model/message.hpp"
#include "storage/session.hpp"

namespace arauto::storage {

struct template_view {
  std::string type;
  channel via = channel::email;
  std::string locale; // empty: for every locale that has none of its own
  int version = 0;
  std::vector<part> parts;
  std::vector<std::string> required; // variables an event must bring
  bool is_private = false;
  doubt_choice doubt; // what follows when a provider's answer is lost
};

result<template_view> put_template(session& db, const tenant_id& tenant,
                                   const template_view& wanted);
result<template_view> find_template(session& db, const tenant_id& tenant, const std::string& type,
                                    channel via, const std::string& locale);
result<done> end_template(session& db, const tenant_id& tenant, const std::string& type,
                          channel via, const std::string& locale);

} // namespace arauto::storage
