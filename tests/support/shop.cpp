#include "tests/support/shop.hpp"

#include <boost/test/unit_test.hpp>

#include "storage/door.hpp"
#include "storage/model/chance.hpp"

namespace arauto::tests {

namespace {

std::string role_name() {
  std::string made = "shop_";
  for (const auto c : random_base62(16))
    made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

std::string as_user(const std::string& url, const std::string& user) {
  const auto begin = url.find("://") + 3;
  return url.substr(0, begin) + user + ":shut" + url.substr(url.find('@', begin));
}

void run_as_owner(const std::string& url, const std::string& text) {
  pqxx::connection connection{url};
  pqxx::nontransaction{connection}.exec(text);
}

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>{text};
}

} // namespace

plain_role::plain_role(const std::string& owner_url)
    : name{role_name()}, url{as_user(owner_url, name)}, owner_url_{owner_url} {
  run_as_owner(owner_url_, "create role " + name + " login password 'shut'");
}

plain_role::~plain_role() {
  try {
    run_as_owner(owner_url_, "drop owned by " + name + " cascade; drop role " + name);
  } catch (const std::exception&) {
    // nop: the server may be gone already, and with it the role
  }
}

std::string notify(pqxx::transaction_base& in, const call& what) {
  return in
      .exec_params1("select arauto.notify(user_id => $1, type => $2, variables => $3::json, "
                    "client_operation_id => $4, channels => $5::text[], priority => $6, "
                    "send_at => $7::timestamptz, expires_at => $8::timestamptz)",
                    what.user, what.type, what.variables, what.operation, what.channels,
                    given(what.priority), given(what.send_at), given(what.expires_at))[0]
      .c_str();
}

std::string notify_once(const std::string& url, const call& what) {
  pqxx::connection connection{url};
  pqxx::work work{connection};
  auto id = notify(work, what);
  work.commit();
  return id;
}

void bind(storage::session& db, const plain_role& who, const tenant_id& whose) {
  storage::door_view wanted;
  wanted.role = who.name;
  wanted.tenant = whose;
  const auto bound = storage::bind_door(db, wanted, a_test);
  BOOST_REQUIRE_MESSAGE(bound, bound.why().text);
}

shop::shop() {
  bind(db, role);
}

shop::refusal shop::refused(const call& what) {
  try {
    notify_one(what);
  } catch (const pqxx::insufficient_privilege& e) { // libpqxx forgets its code
    return {"42501", e.what()};
  } catch (const pqxx::sql_error& e) {
    return {e.sqlstate(), e.what()};
  }
  BOOST_FAIL("not refused: " + what.operation);
  return {};
}

} // namespace arauto::tests
