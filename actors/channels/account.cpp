#include "actors/channels/account.hpp"

#include <future>
#include <utility>

#include "actors/channels/account_forms.hpp"
#include "actors/channels/push_ports.hpp"
#include "actors/channels/smtp_greeting.hpp"
#include "actors/channels/smtp_port.hpp"
#include "storage/model/base64.hpp"

namespace arauto::channels {

namespace {

using nlohmann::json;

// Where each provider's secrets stand.
json::json_pointer secret_in(provider via) {
  switch (via) {
  case provider::smtp: return json::json_pointer{"/password"};
  case provider::fcm: return json::json_pointer{"/service_account/private_key"};
  case provider::apns: return json::json_pointer{"/key"};
  case provider::web_push: return json::json_pointer{"/private_key"};
  }
  return json::json_pointer{};
}

account_form taken_apart(json kept, const json::json_pointer& secret) {
  account_form form;
  if (kept.contains(secret)) {
    form.secret[secret] = kept[secret];
    kept.at(secret.parent_pointer()).erase(secret.back());
  }
  form.open = std::move(kept);
  return form;
}

template <class T>
account_reading in_two(provider via, form_reading<T> reading) {
  if (!reading.account) return {{}, std::move(reading.faults)};
  return {taken_apart(std::move(reading.kept), secret_in(via)), {}};
}

// As it was before it was taken apart.
json whole(const account_form& form) {
  auto made = form.open.is_object() ? form.open : json::object();
  made.merge_patch(form.secret);
  return made;
}

failure first_of(const std::vector<account_fault>& faults) {
  return {errc::bad_input, faults.empty() ? "account" : faults[0].pointer + " " + faults[0].what};
}

// Sends a message to nobody: a refusal that is about the message shows that we were let in.
account_check knocked_at(port& door, composed what, const std::string& name,
                         const port_means& means) {
  const auto patience = means.connect_timeout + means.answer_timeout;
  const auto until = port::steady::now() + patience;
  const auto heard = std::make_shared<std::promise<outcome>>();
  auto said = heard->get_future();
  door.send(std::move(what), until, [heard](outcome o) { heard->set_value(std::move(o)); });
  if (said.wait_until(until) != std::future_status::ready)
    return {false, name + " did not answer in time"};
  const auto made = said.get();
  const auto let_in = made.said == verdict::accepted || made.said == verdict::bad_address
                      || (made.said == verdict::refused && made.cause != "redirected");
  if (let_in) return {true, name + " let us in"};
  auto words = name + " did not let us in: " + made.cause;
  if (made.code != 0) words += " (" + std::to_string(made.code) + ")";
  return {false, made.detail.empty() ? words : words + ": " + made.detail};
}

smtp_settings with_means(smtp_settings account, const port_means& means) {
  if (account.ca_file.empty()) account.ca_file = means.ca_file;
  return account;
}

} // namespace

account_reading read_account(provider via, const json& given) {
  switch (via) {
  case provider::smtp: return in_two(via, read_smtp_account(given));
  case provider::fcm: return in_two(via, read_fcm_account(given));
  case provider::apns: return in_two(via, read_apns_account(given));
  case provider::web_push: return in_two(via, read_web_push_account(given));
  }
  return {};
}

result<std::unique_ptr<port>> open_port(provider via, const account_form& form,
                                        const port_means& means) {
  const auto opened = [&](auto reading, auto make) -> result<std::unique_ptr<port>> {
    if (!reading.account) return first_of(reading.faults);
    return make(std::move(*reading.account));
  };
  switch (via) {
  case provider::smtp:
    return opened(read_smtp_account(whole(form)), [&](smtp_settings account) {
      return make_smtp_port(with_means(std::move(account), means), means.now);
    });
  case provider::fcm:
    return opened(read_fcm_account(whole(form)),
                  [&](fcm_account account) { return make_fcm_port(std::move(account), means); });
  case provider::apns:
    return opened(read_apns_account(whole(form)),
                  [&](apns_account account) { return make_apns_port(std::move(account), means); });
  case provider::web_push:
    return opened(read_web_push_account(whole(form)), [&](web_push_account account) {
      return make_web_push_port(std::move(account), means);
    });
  }
  return failure{errc::bad_input, "provider"};
}

account_check check_account(provider via, const account_form& form, const port_means& means) {
  const auto checked = [&](auto reading, auto check) -> account_check {
    if (!reading.account) return {false, first_of(reading.faults).text};
    return check(std::move(*reading.account));
  };
  switch (via) {
  case provider::smtp:
    return checked(read_smtp_account(whole(form)), [&](const smtp_settings& account) {
      return greeted_by(account, means.connect_timeout);
    });
  case provider::fcm:
    return checked(read_fcm_account(whole(form)), [&](const fcm_account& account) {
      return knocked_at(*make_fcm_port(account, means), fcm_knock(), "FCM", means);
    });
  case provider::apns:
    return checked(read_apns_account(whole(form)), [&](const apns_account& account) {
      return knocked_at(*make_apns_port(account, means), apns_knock(account), "APNs", means);
    });
  case provider::web_push:
    return checked(read_web_push_account(whole(form)), [](const web_push_account& account) {
      return account_check{true, "the key is usable; browsers subscribe with "
                                     + base64url(account.key.public_point())};
    });
  }
  return {};
}

} // namespace arauto::channels
