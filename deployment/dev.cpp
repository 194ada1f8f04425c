#include "deployment/dev.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "deployment/commands.hpp"
#include "deployment/trouble.hpp"
#include "http/credentials.hpp"
#include "storage/keys.hpp"
#include "storage/model/address.hpp"
#include "storage/model/chance.hpp"
#include "storage/model/rendering.hpp"
#include "storage/people.hpp"
#include "storage/sealing.hpp"
#include "storage/templates.hpp"
#include "storage/tenants.hpp"

namespace arauto::deployment {

namespace fs = std::filesystem;

namespace {

const tenant_id sample{"sample"};

template <class T>
void must(const result<T>& done, const std::string& what) {
  if (!done) fail(what, done.why());
}

void make_user(storage::session& db) {
  storage::recipient ana;
  ana.user = user_id{"ana"};
  ana.name = "Ana";
  ana.locale = "en";
  ana.time_zone = "Europe/Lisbon";
  ana.email = "ana@example.org";
  const auto address = parse_address(ana.email);
  must(address, "sample user");
  ana.email_key = address->key;
  must(storage::put_recipient(db, sample, ana), "cannot make the sample user");
}

void make_template(storage::session& db) {
  storage::template_view shipped;
  shipped.type = "order.shipped";
  shipped.via = channel::email;
  shipped.parts = {
      {"subject", "Your order {{order}} is on its way"},
      {"text", "Hello {{name}},\n\nyour order {{order}} left our house today.\n"},
      {"html",
       "<p>Hello {{name}},</p>\n<p>your order <b>{{order}}</b> left our house today.</p>\n"},
  };
  shipped.required = check_template(shipped.via, shipped.parts).required;
  must(storage::put_template(db, sample, shipped), "cannot make the sample template");
}

bool holds(storage::session& db, const std::string& key, const tenant_id& tenant) {
  const auto parts = http::read_bearer("Bearer " + key);
  const bool is_operators = parts && parts->whose == http::key_kind::of_operator;
  if (!parts || is_operators != tenant.text.empty()) return false;
  const auto found = storage::find_keys(db, {parts->prefix});
  return found && !found->empty() && found->front().tenant == tenant
         && http::same_digest(found->front().digest, sha256_hex(parts->secret));
}

std::string key_for(storage::session& db, const std::string& before, const tenant_id& tenant) {
  if (holds(db, before, tenant)) return before;
  const auto made = http::make_key(tenant);
  storage::key_wanted wanted{tenant, made.prefix, made.digest, {}, "made by arauto dev", {}};
  if (!tenant.text.empty()) wanted.granted = scopes::all();
  auto created = storage::create_key(db, wanted, of_this_account());
  if (created.error() == errc::already_exists) { // of earlier starts, whose dev.json is gone
    const auto before_us = storage::list_keys(db, tenant);
    must(before_us, "cannot list keys");
    for (const auto& each : *before_us) { // the oldest gives way
      if (each.state != "live") continue;
      must(storage::revoke_key(db, each.prefix, of_this_account()), "cannot end a key");
      break;
    }
    created = storage::create_key(db, wanted, of_this_account());
  }
  must(created, "cannot make a key");
  return made.whole_text;
}

// Whole or not at all, readable by its owner only.
void write_private(const fs::path& file, const std::string& text) {
  auto half_written = file;
  half_written += ".new";
  fs::remove(half_written);
  const auto mask = ::umask(0077);
  std::ofstream out{half_written};
  ::umask(mask);
  out << text;
  out.close();
  if (!out) throw trouble{"cannot write " + half_written.string()};
  fs::rename(half_written, file);
}

} // namespace

std::optional<dev_facts> read_dev_facts(const fs::path& data) {
  std::ifstream in{data / "dev.json"};
  const auto read = nlohmann::json::parse(in, nullptr, false);
  if (!read.is_object()) return std::nullopt;
  const auto text = [&](const char* name) {
    const auto at = read.find(name);
    return at != read.end() && at->is_string() ? at->get<std::string>() : std::string{};
  };
  return dev_facts{text("url"),      text("tenant"),   text("api_key"),     text("operator_key"),
                   text("mail_dir"), text("push_dir"), text("database_url")};
}

void write_dev_facts(const fs::path& data, const dev_facts& what) {
  write_private(data / "dev.json", nlohmann::json{{"url", what.url},
                                                  {"tenant", what.tenant},
                                                  {"api_key", what.api_key},
                                                  {"operator_key", what.operator_key},
                                                  {"mail_dir", what.mail_dir},
                                                  {"push_dir", what.push_dir},
                                                  {"database_url", what.database_url}}
                                           .dump(2)
                                       + "\n");
}

void make_data_directory(const fs::path& data) {
  std::error_code why;
  const bool is_new = fs::create_directories(data, why);
  if (!why && is_new) // PostgreSQL's account must pass through, and sees nothing else
    fs::permissions(data, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec,
                    why);
  if (why) throw trouble{"--data: cannot make " + data.string() + ": " + why.message()};
  if (!fs::exists(data / ".gitignore")) std::ofstream{data / ".gitignore"} << "*\n";
}

fs::path dev_seal_key_file(const fs::path& data) {
  return data / "seals";
}

void make_seal_key_file(const fs::path& data) {
  const auto file = dev_seal_key_file(data);
  if (!fs::exists(file)) write_private(file, storage::seal_ring::new_line("dev"));
}

dev_facts prepare_sample(storage::session& db, const std::optional<dev_facts>& before) {
  storage::tenant_view tenant;
  tenant.id = sample;
  tenant.name = "Sample tenant";
  tenant.sender_address = "hello@sample.example";
  tenant.sender_name = "Sample shop";
  const auto created = storage::create_tenant(db, tenant, of_this_account());
  if (!created && created.error() != errc::already_exists)
    fail("cannot make the sample tenant", created.why());
  if (!before
      || created) { // dev.json is written last: without it a first start did not get that far
    make_user(db);
    make_template(db);
  }
  dev_facts made;
  made.tenant = sample.text;
  made.api_key = key_for(db, before ? before->api_key : "", sample);
  made.operator_key = key_for(db, before ? before->operator_key : "", tenant_id{});
  return made;
}

} // namespace arauto::deployment
