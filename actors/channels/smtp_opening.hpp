// The beginning of an SMTP conversation: greeting, EHLO, STARTTLS, EHLO again, AUTH. Pure: replies
// in, the next words out; sockets are smtp_session's.
#pragma once

#include <cstddef>
#include <string>

#include "actors/channels/smtp_outcome.hpp"
#include "actors/channels/smtp_reply.hpp"
#include "actors/channels/smtp_settings.hpp"

namespace arauto::channels {

// What the server's EHLO reply offers.
struct smtp_offer {
  bool starttls = false;
  bool pipelining = false;
  bool smtputf8 = false;
  bool auth_plain = false;
  bool auth_login = false;
  bool size = false;
  std::size_t size_max = 0; // 0: no limit named
};

smtp_offer offer_in(const smtp_reply& hello);

class smtp_opening {
public:
  enum class act { say, begin_tls, ready, refuse };

  struct step {
    act what;
    std::string line; // say
    outcome why;      // refuse
  };

  // The settings must outlive the opening.
  smtp_opening(const smtp_settings& settings, const std::string& helo_name);

  step take(const smtp_reply& reply);
  step tls_is_up(); // after begin_tls

  smtp_stage stage() const;
  const smtp_offer& offer() const { return offer_; }
  bool wants_verified_tls() const { return tls_ != tls_mode::opportunistic; }

private:
  enum class asked { nothing, ehlo, helo, starttls, plain, login, login_user, login_password };

  step say(asked next, std::string line);
  step refuse(const smtp_reply& reply) const;
  step refuse(smtp_trouble trouble) const;
  step after_hello();
  step authenticate();

  const smtp_settings& settings_;
  const std::string& helo_name_;
  const tls_mode tls_;
  asked asked_ = asked::nothing;
  bool secure_;
  smtp_offer offer_;
};

} // namespace arauto::channels
