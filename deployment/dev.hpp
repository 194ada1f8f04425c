// What `arauto dev` prepares in its data directory, beside the database: a sample tenant with one
// user and one template, keys, and dev.json, which tells programs and people how to ask.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "storage/session.hpp"

namespace arauto::deployment {

// The content of <data>/dev.json, readable by its owner only.
struct dev_facts {
  std::string url, tenant, api_key, operator_key, mail_dir, push_dir, database_url;
};

std::optional<dev_facts>
read_dev_facts(const std::filesystem::path& data); // nothing: no such file, or not ours
void write_dev_facts(const std::filesystem::path& data, const dev_facts& what);

// Makes the directory, open for passing through only, and keeps it out of git.
void make_data_directory(const std::filesystem::path& data);

// The file of the key that seals the secrets of accounts; made once.
std::filesystem::path dev_seal_key_file(const std::filesystem::path& data);
void make_seal_key_file(const std::filesystem::path& data);

// The sample tenant and working keys: those of `before` where they still hold, new ones otherwise.
// The sample user and template are made with the tenant and not again: what was erased stays
// erased.
dev_facts prepare_sample(storage::session& db, const std::optional<dev_facts>& before);

} // namespace arauto::deployment
