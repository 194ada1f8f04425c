// An answer as bytes. Pure: date and request id come in.
#pragma once

#include <string>
#include <string_view>

#include "http/request.hpp"

namespace arauto::http {

struct reply_facts {
  std::string_view request_id;
  std::string_view date; // IMF-fixdate
  bool keep_alive = true;
  bool head_only = false;       // the answer to HEAD
  bool says_keep_alive = false; // HTTP/1.0 must hear it
};

std::string written_reply(const answer& said, const reply_facts& facts);

// The date of now as RFC 9110, 5.6.7 wants it.
std::string_view date_of_now();

// A problem with the headers its code asks for.
answer told_problem(const problem& what, std::string_view request_id);

} // namespace arauto::http
