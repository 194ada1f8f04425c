#include "actors/channels/account.hpp"

#include <utility>

#include "actors/channels/account_forms.hpp"
#include "actors/channels/smtp_greeting.hpp"
#include "actors/channels/smtp_port.hpp"

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
  default: break;
  }
  return failure{errc::bad_input, "no port to this provider yet"};
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
  default: break;
  }
  return {false, "no port to this provider yet"};
}

} // namespace arauto::channels
